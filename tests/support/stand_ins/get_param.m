function value = get_param(path, name)
% Returns a parameter or property of a model or block of the stand-ins.
world = simulink_world('get');
if isKey(world.models, path)
    settings = struct('FixedStep', 'auto', 'StopTime', '10.0');
    value = settings.(name);
    return
end
if ~isKey(world.blocks, path) && simulink_installed(world, path)
    value = simulink_library(world, path, name);
    return
end
if ~isKey(world.blocks, path)
    error('Simulink:Commands:InvSimulinkObjectName', 'Invalid Simulink object name: ''%s''.', path);
end
block = world.blocks(path);
switch name
    case 'BlockType'
        value = block.entry.type;
    case 'MaskType'
        value = block.entry.mask;
    case 'ReferenceBlock'
        value = '';
        if block.entry.linked
            value = block.entry.path;
        end
    case 'LinkStatus'
        value = 'none';
        if block.entry.linked
            value = 'resolved';
        end
    case 'MaskInitialization'
        value = '';
    case 'DialogParameters'
        value = cell2struct(repmat({struct()}, numel(keys(block.values)), 1), ...
            keys(block.values)(:), 1);
    otherwise
        if ~isKey(block.values, name)
            error('Simulink:Commands:ParamUnknown', ...
                '%s block (mask) does not have a parameter named ''%s''.', block.entry.type, name);
        end
        value = block.values(name);
end
end
