function is = bdIsLoaded(name)
% Returns whether a model of the stand-ins is open.
world = simulink_world('get');
is = isKey(world.models, name);
end
