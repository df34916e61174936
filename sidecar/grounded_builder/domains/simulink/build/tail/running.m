function [simulation, errors] = run(model, steps)
% Simulate some steps, and find the first value of each output that is not finite.
simulation = struct('steps', steps, 'nonfinite', []);
errors = [];
size_of_step = str2double(get_param(model, 'FixedStep'));
if isnan(size_of_step)
    size_of_step = str2double(get_param(model, 'StopTime')) / 50;
end
if ~isfinite(size_of_step) || size_of_step <= 0
    size_of_step = 0.2;
end
ports = find_system(model, 'FindAll', 'on', 'type', 'port', 'PortType', 'outport');
for k = 1:numel(ports)
    set_param(ports(k), 'DataLogging', 'on');
end
try
    out = sim(model, 'StopTime', sprintf('%.15g', steps * size_of_step), ...
        'SignalLogging', 'on', 'SignalLoggingName', 'grounded_log', ...
        'ReturnWorkspaceOutputs', 'on');
    simulation.nonfinite = nonfinite(out.get('grounded_log'));
catch cause
    errors = errors_of(cause);
end
for k = 1:numel(ports)
    set_param(ports(k), 'DataLogging', 'off');
end
for k = 1:numel(simulation.nonfinite)
    first = simulation.nonfinite(k);
    message = sprintf('output %d of "%s" is %g at %g s', first.port, first.block, first.value, first.time);
    errors = [errors, struct('identifier', 'grounded:nonfinite', 'message', message, ...
        'block', first.block, 'about', sprintf('output %d', first.port))]; %#ok<AGROW>
end
end

function list = nonfinite(log)
list = struct('block', {}, 'port', {}, 'time', {}, 'value', {});
for k = 1:log.numElements
    element = log.getElement(k);
    signal = element.Values;
    if ~isfield_or_prop(signal, 'Data')
        continue
    end
    values = double(signal.Data);
    bad = find(~isfinite(values(:)), 1);
    if isempty(bad)
        continue
    end
    count = numel(signal.Time);
    at = mod(bad - 1, max(count, 1)) + 1;
    if numel(values) ~= count && size(values, 1) ~= count
        at = ceil(bad * count / numel(values));
    end
    list(end + 1) = struct('block', element.BlockPath.getBlock(1), ...
        'port', element.PortIndex, 'time', signal.Time(at), 'value', values(bad)); %#ok<AGROW>
end
list = plain(list);
end

function is = isfield_or_prop(value, name)
is = (isstruct(value) && isfield(value, name)) || (isobject(value) && isprop(value, name));
end

function show(report)
% Print the result, or raise the error.
if report.ok
    fprintf('%s: %d blocks, built and read back.\n', report.model, numel(report.blocks));
    return
end
lines = {};
for k = 1:numel(report.errors)
    lines{end + 1} = report.errors(k).message; %#ok<AGROW>
end
for k = 1:numel(report.differences)
    difference = report.differences(k);
    lines{end + 1} = sprintf('%s of %s is "%s", not "%s"', ...
        difference.what, difference.block, difference.actual, difference.expected); %#ok<AGROW>
end
error('grounded:notBuilt', '%s', sprintf('The model was not saved.%s', ...
    sprintf('\n  %s', lines{:})));
end
