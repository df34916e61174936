function deleteContents(path)
% Removes the blocks of a subsystem of the stand-ins.
world = simulink_world('get');
paths = keys(world.blocks);
for k = 1:numel(paths)
    if strncmp(paths{k}, [path '/'], numel(path) + 1)
        remove(world.blocks, paths{k});
    end
end
simulink_world('put', world);
end
