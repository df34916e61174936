function counts = simulink_ports(world, path)
% Returns the number of ports of a block, according to its Simulink documentation.
block = world.blocks(path);
counts = struct('in', 0, 'out', 0, 'enable', 0, 'trigger', 0, 'ifaction', 0, 'reset', 0, ...
    'state', 0, 'event', 0, 'lconn', 0, 'rconn', 0);
names = fieldnames(block.entry.ports);
for k = 1:numel(names)
    counts.(names{k}) = block.entry.ports.(names{k});
end
switch block.entry.type
    case {'Sum', 'Product'}
        counts.in = signs(value(block, 'Inputs', '2'));
    case {'Mux', 'MinMax', 'Merge', 'BusCreator', 'VectorConcatenate', 'Concatenate'}
        name = 'Inputs';
        if isKey(block.values, 'NumInputs')
            name = 'NumInputs';
        end
        counts.in = several(value(block, name, '2'));
    case 'Logic'
        counts.in = several(value(block, 'Inputs', '2'));
        if strcmp(value(block, 'Operator', 'AND'), 'NOT')
            counts.in = 1;
        end
    case 'Demux'
        counts.out = several(value(block, 'Outputs', '2'));
    case 'MultiPortSwitch'
        counts.in = several(value(block, 'Inputs', '3')) + 1;
    case 'BusSelector'
        counts.out = numel(strsplit(value(block, 'OutputSignals', 'a'), ','));
    case 'Scope'
        counts.in = several(value(block, 'NumInputPorts', '1'));
    case 'Integrator'
        counts.in = 1 + ~strcmp(value(block, 'ExternalReset', 'none'), 'none') ...
            + strcmp(value(block, 'InitialConditionSource', 'internal'), 'external');
        counts.out = 1 + strcmp(value(block, 'ShowSaturationPort', 'off'), 'on');
        counts.state = strcmp(value(block, 'ShowStatePort', 'off'), 'on');
    case 'SubSystem'
        if ~block.entry.linked
            counts = inside(world, path, counts);
        end
end
end

function text = value(block, name, usual)
text = usual;
if isKey(block.values, name) && ~isempty(block.values(name))
    text = block.values(name);
end
end

function count = signs(text)
count = sum(ismember(text, '+-*/'));
if count == 0
    count = several(text);
end
end

function count = several(text)
count = str2double(text);
if isnan(count)
    count = numel(strsplit(regexprep(strtrim(text), '[\[\]]', ''), {',', ' '}));
end
end

function counts = inside(world, path, counts)
counts.in = 0;
counts.out = 0;
paths = keys(world.blocks);
for k = 1:numel(paths)
    if ~strcmp(simulink_parent(paths{k}), path)
        continue
    end
    switch world.blocks(paths{k}).entry.type
        case 'Inport'
            counts.in = counts.in + 1;
        case 'Outport'
            counts.out = counts.out + 1;
        case 'EnablePort'
            counts.enable = 1;
        case 'TriggerPort'
            counts.trigger = 1;
        case 'ActionPort'
            counts.ifaction = 1;
        case 'ResetPort'
            counts.reset = 1;
        case 'PMIOPort'
            side = 'lconn';
            if strcmpi(value(world.blocks(paths{k}), 'Side', 'Left'), 'Right')
                side = 'rconn';
            end
            counts.(side) = counts.(side) + 1;
    end
end
end
