function simulink_catalog(file)
% Reads the catalog: a list of {path, type, mask, linked, ports, parameters}.
entries = jsondecode(fileread(file));
if isstruct(entries)
    entries = num2cell(entries);
end
world = simulink_world('get');
for k = 1:numel(entries)
    entry = entries{k};
    parameters = containers.Map();
    given = entry.parameters;
    if isstruct(given)
        given = num2cell(given);
    end
    for p = 1:numel(given)
        parameters(given{p}.name) = given{p};
    end
    entry.parameters = parameters;
    world.catalog(squeezed(entry.path)) = entry;
    parts = strsplit(entry.path, '/');
    world.libraries(parts{1}) = true;
end
simulink_world('put', world);
end

function text = squeezed(text)
text = regexprep(text, '\s+', ' ');
end
