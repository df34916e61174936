function handle = add_line(system, from, to, varargin)
% Connects two ports in a model of the stand-ins, with Simulink's errors.
world = simulink_world('get');
[start, output] = split(from);
[stop, input] = split(to);
check(world, system, start, output, 'out');
check(world, system, stop, input, 'in');
if ~any(strncmp(input, {'LConn', 'RConn'}, 5))
    key = [system '|' to];
    if any(strcmp(world.lines, key))
        error('Simulink:Commands:AddLineDestAlreadyConnected', ...
            'The input port %s of ''%s'' is already connected.', input, stop);
    end
    world.lines{end + 1} = key;
    simulink_world('put', world);
end
handle = numel(world.lines) + 1;
end

function [block, port] = split(text)
bare = strrep(text, '//', char([1 1]));
at = find(bare == '/', 1, 'last');
block = text(1:at - 1);
port = text(at + 1:end);
end

function check(world, system, block, port, side)
path = [system '/' block];
if ~isKey(world.blocks, path)
    error('Simulink:Commands:InvSimulinkObjectName', 'Invalid Simulink object name: ''%s''.', path);
end
counts = simulink_ports(world, path);
number = str2double(port);
if ~isnan(number)
    there = number >= 1 && number <= counts.(side);
elseif any(strncmp(port, {'LConn', 'RConn'}, 5))
    there = str2double(port(6:end)) <= counts.(lower(port(1:5)));
else
    there = isfield(counts, lower(port)) && counts.(lower(port)) > 0;
end
if ~there
    error('Simulink:Commands:AddLineInvalidPort', 'Invalid port ''%s'' of ''%s''.', port, path);
end
end
