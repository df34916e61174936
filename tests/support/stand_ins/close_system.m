function close_system(name, ~)
% Closes a model of the stand-ins without saving it.
world = simulink_world('get');
remove(world.models, name);
paths = keys(world.blocks);
for k = 1:numel(paths)
    if strncmp(paths{k}, [name '/'], numel(name) + 1)
        remove(world.blocks, paths{k});
    end
end
world.lines = {};
simulink_world('put', world);
end
