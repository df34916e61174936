function set_param(path, varargin)
% Sets parameters of a model or block of the stand-ins, with Simulink's errors.
if isnumeric(path)
    return
end
world = simulink_world('get');
if isKey(world.models, path)
    if strcmp(varargin{1}, 'SimulationCommand')
        simulink_update(path);
    end
    return
end
if ~isKey(world.blocks, path)
    error('Simulink:Commands:InvSimulinkObjectName', 'Invalid Simulink object name: ''%s''.', path);
end
block = world.blocks(path);
for k = 1:2:numel(varargin)
    name = varargin{k};
    value = varargin{k + 1};
    if any(strcmp(name, {'Position', 'Orientation', 'ShowName', 'BlockMirror', 'Name', ...
            'NamePlacement', 'Commented', 'Priority', 'DataLogging'}))
        continue
    end
    if ~isKey(block.entry.parameters, name)
        error('Simulink:Commands:ParamUnknown', '%s block (mask) does not have a parameter named ''%s''.', ...
            block.entry.type, name);
    end
    parameter = block.entry.parameters(name);
    options = parameter.options;
    if ~isempty(options) && ~any(strcmp(value, options))
        error('Simulink:Parameters:InvParamSetting', ...
            'Invalid setting in %s for parameter ''%s''.', path, name);
    end
    if strcmp(parameter.kind, 'value') && ~isempty(value) && ~simulink_parses(value)
        error('Simulink:Parameters:BlkParamUndefined', ...
            'Error evaluating parameter ''%s'' in ''%s''.', name, path);
    end
    block.values(name) = value;
end
world.blocks(path) = block;
simulink_world('put', world);
end
