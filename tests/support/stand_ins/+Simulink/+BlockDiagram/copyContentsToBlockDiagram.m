function copyContentsToBlockDiagram(from, to)
% Copies the blocks of a subsystem into a model of the stand-ins.
world = simulink_world('get');
paths = keys(world.blocks);
for k = 1:numel(paths)
    if strncmp(paths{k}, [from '/'], numel(from) + 1)
        world.blocks([to paths{k}(numel(from) + 1:end)]) = world.blocks(paths{k});
    end
end
simulink_world('put', world);
end
