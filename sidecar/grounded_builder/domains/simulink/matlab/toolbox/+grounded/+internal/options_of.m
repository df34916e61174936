function settings = options_of(settings, given, name)
%GROUNDED.INTERNAL.OPTIONS_OF Return the settings, changed by the given pairs of name and value.
names = fieldnames(settings);
for k = 1:2:numel(given)
    if k == numel(given) || ~ischar(given{k}) || ~isfield(settings, given{k})
        error(['grounded:' name], 'The options of grounded.%s come in pairs, and are %s.', ...
            name, strjoin(reshape(names, 1, []), ', '));
    end
    settings.(given{k}) = given{k + 1};
end
end
