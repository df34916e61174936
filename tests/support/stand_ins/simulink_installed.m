function is = simulink_installed(world, path)
% Checks whether a path is a library, or a category or block in one.
path = regexprep(path, '\s+', ' ');
is = isKey(world.libraries, path) || isKey(world.catalog, path) ...
    || any(strncmp(keys(world.catalog), [path '/'], numel(path) + 1));
end
