function is = license(what, feature)
% Returns whether a licence is held: all except the one that an environment variable names.
is = strcmp(what, 'test') && ~strcmp(feature, getenv('GROUNDED_UNLICENSED'));
end
