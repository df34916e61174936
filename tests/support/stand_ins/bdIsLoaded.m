function is = bdIsLoaded(name)
world = simulink_world('get');
is = isKey(world.models, name);
end
