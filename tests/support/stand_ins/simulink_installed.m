function is = simulink_installed(world, path)
% Whether a path is a library, a shelf in one, or a block in one.
path = regexprep(path, '\s+', ' ');
is = isKey(world.libraries, path) || isKey(world.catalog, path) ...
    || any(strncmp(keys(world.catalog), [path '/'], numel(path) + 1));
end
