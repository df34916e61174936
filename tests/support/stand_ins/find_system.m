function results = find_system(system, varargin)
% Returns all blocks of a model, or those one level below a library or its category; no ports.
world = simulink_world('get');
results = {};
if isKey(world.models, system)
    paths = keys(world.blocks);
    if ~any(strcmp(varargin, 'FindAll'))
        results = paths(strncmp(paths, [system '/'], numel(system) + 1));
    end
    return
end
paths = keys(world.catalog);
for k = 1:numel(paths)
    path = world.catalog(paths{k}).path;
    if strncmp(path, [system '/'], numel(system) + 1)
        rest = strrep(path(numel(system) + 2:end), '//', char([1 1]));
        first = strrep(strsplit(rest, '/'){1}, char([1 1]), '//');
        results{end + 1} = [system '/' first]; %#ok<AGROW>
    end
end
results = unique(results);
end
