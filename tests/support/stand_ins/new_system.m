function new_system(name)
% Creates an empty model of the stand-ins, with Simulink's errors.
if ~isvarname(name) || numel(name) > 63
    error('Simulink:LoadSave:InvalidBlockDiagramName', 'Invalid model name ''%s''.', name);
end
world = simulink_world('get');
if isKey(world.models, name)
    error('Simulink:Commands:NewSysAlreadyExists', 'A system ''%s'' exists.', name);
end
world.models(name) = true;
simulink_world('put', world);
end
