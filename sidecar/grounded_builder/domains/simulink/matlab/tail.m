
function options = chosen(given)
% The options, each with its default.
options = struct('Layout', true, 'File', '', 'Overwrite', false, 'Simulate', 0);
if mod(numel(given), 2) ~= 0
    error('grounded:options', 'Options come in pairs of a name and a value.');
end
for k = 1:2:numel(given)
    if ~ischar(given{k}) || ~isfield(options, given{k})
        error('grounded:options', 'The options are Layout, File, Overwrite and Simulate.');
    end
    options.(given{k}) = given{k + 1};
end
if ~isempty(options.File) && exist(options.File, 'file') && ~options.Overwrite
    error('grounded:fileExists', ...
        'The file %s exists; choose another one, or say ''Overwrite'', true.', options.File);
end
end

function model = begin(name, options)
% A new model under a name that nothing else has.
if ~isempty(options.File)
    [~, name] = fileparts(options.File);
end
model = name;
k = 1;
while bdIsLoaded(model) || (isempty(options.File) && exist(model, 'file') == 4)
    k = k + 1;
    model = sprintf('%s_%d', name, k);
end
new_system(model);
end

function path = add(system, name, source, varargin)
% One block from its library, with its parameters; a failure names the block.
path = [system '/' strrep(name, '/', '//')];
try
    add_block(source, path);
catch cause
    named(cause, path, source);
end
if isempty(varargin)
    return
end
try
    set_param(path, varargin{:}); % together: some are only right beside others
catch together
    for k = 1:2:numel(varargin)
        try
            set_param(path, varargin{k}, varargin{k + 1});
        catch cause
            named(cause, path, varargin{k});
        end
    end
    named(together, path, '');
end
end

function library(name)
% Load the library that blocks come from.
try
    load_system(name);
catch cause
    named(cause, name, name);
end
end

function clear_out(system)
% Empty a subsystem that comes from the library with an input and an output.
Simulink.SubSystem.deleteContents(system);
end

function wire(system, from, output, to, input, name)
% One line from a port to a port; data ports have numbers, others names.
start = port_of(from, output);
stop = port_of(to, input);
try
    line = add_line(system, start, stop, 'autorouting', 'on');
    if nargin > 5
        set_param(line, 'Name', name);
    end
catch cause
    named(cause, [system '/' strrep(to, '/', '//')], [start ' -> ' stop]);
end
end

function text = port_of(block, port)
if isnumeric(port)
    port = sprintf('%d', port);
end
text = [strrep(block, '/', '//') '/' port];
end

function note(system, text, position)
% A note in the diagram.
add_block('built-in/Note', [system '/' strrep(text, '/', '//')], 'Position', position);
end

function named(cause, block, about)
% The same error, which now says where it happened.
identifier = cause.identifier;
if isempty(identifier)
    identifier = 'grounded:simulink';
end
error(identifier, '%s', sprintf('%s\n[block] %s\n[about] %s', cause.message, block, about));
end

function report = finish(model, meant, options)
% Arrange, update, read back, run and keep a model; a model that is not whole is closed.
report = empty_report(model);
if options.Layout
    Simulink.BlockDiagram.arrangeSystem(model);
end
set_param(model, 'SimulationCommand', 'update');
[report.blocks, report.differences] = read_back(model, meant);
if ~isempty(report.differences)
    close_system(model, 0);
    return
end
if options.Simulate > 0
    [report.simulation, report.errors] = run(model, options.Simulate);
end
report.ok = isempty(report.errors);
if ~isempty(options.File) && report.ok
    save_system(model, options.File);
    report.file = options.File;
elseif ~report.ok
    close_system(model, 0);
end
end

function report = empty_report(model)
report = struct('ok', false, 'model', model, 'file', '', 'blocks', [], 'differences', [], ...
    'simulation', struct('steps', 0, 'nonfinite', []), 'errors', []);
end

function report = failed(model, cause)
% Nothing half made stays behind.
report = empty_report(model);
report.errors = told(cause);
if bdIsLoaded(model)
    close_system(model, 0);
end
end

function errors = told(cause)
% An error and what caused it, each with its identifier and the block that it is about.
message = cause.message;
block = '';
about = '';
mark = strfind(message, sprintf('\n[block] '));
if ~isempty(mark)
    rest = strsplit(message(mark(1) + 1:end), sprintf('\n'));
    message = message(1:mark(1) - 1);
    block = strrep(rest{1}, '[block] ', '');
    about = strrep(rest{end}, '[about] ', '');
end
errors = struct('identifier', cause.identifier, 'message', message, 'block', block, 'about', about);
try
    if isempty(block) && ~isempty(cause.handles)
        errors.block = getfullname(cause.handles{1}(1));
    end
catch
    % Only Simulink's own errors know the blocks that they are about.
end
try
    for k = 1:numel(cause.cause)
        errors = [errors, told(cause.cause{k})]; %#ok<AGROW>
    end
catch
    % Octave's errors have no causes.
end
end

function [blocks, differences] = read_back(model, meant)
% What stands in the model, and where that is not what was meant.
blocks = struct('path', {}, 'BlockType', {}, 'MaskType', {}, 'ReferenceBlock', {}, ...
    'LinkStatus', {}, 'MaskInitialization', {});
differences = struct('block', {}, 'what', {}, 'meant', {}, 'found', {});
for k = 1:size(meant, 1)
    path = [model '/' meant{k, 1}];
    found.path = path;
    found.BlockType = get_param(path, 'BlockType');
    found.MaskType = get_param(path, 'MaskType');
    found.ReferenceBlock = get_param(path, 'ReferenceBlock');
    found.LinkStatus = get_param(path, 'LinkStatus');
    found.MaskInitialization = get_param(path, 'MaskInitialization');
    blocks(end + 1) = found; %#ok<AGROW>
    differences = differ(differences, path, 'BlockType', meant{k, 2}, found.BlockType);
    differences = differ(differences, path, 'MaskType', meant{k, 3}, found.MaskType);
    if ~isempty(found.ReferenceBlock)
        differences = differ(differences, path, 'ReferenceBlock', meant{k, 4}, ...
            found.ReferenceBlock);
    end
    if strcmp(found.LinkStatus, 'unresolved')
        differences = differ(differences, path, 'LinkStatus', 'resolved', 'unresolved');
    end
    drafted = meant{k, 5};
    for p = 1:2:numel(drafted)
        differences = differ(differences, path, drafted{p}, drafted{p + 1}, ...
            get_param(path, drafted{p}));
    end
end
blocks = plain(blocks);
differences = plain(differences);
end

function list = plain(list)
% Octave cannot write a list of no structs as JSON.
if isempty(list)
    list = [];
end
end

function differences = differ(differences, block, what, meant, found)
% White space in a path is written in several ways; nothing else may differ.
if isempty(meant) || strcmp(regexprep(meant, '\s+', ' '), regexprep(found, '\s+', ' '))
    return
end
differences(end + 1) = struct('block', block, 'what', what, 'meant', meant, 'found', found);
end

function [simulation, errors] = run(model, steps)
% Run some steps, and find the first value of each output that is no number.
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
    errors = told(cause);
end
for k = 1:numel(ports)
    set_param(ports(k), 'DataLogging', 'off');
end
for k = 1:numel(simulation.nonfinite)
    one = simulation.nonfinite(k);
    message = sprintf('output %d of "%s" is %g at %g s', one.port, one.block, one.value, one.time);
    errors = [errors, struct('identifier', 'grounded:nonfinite', 'message', message, ...
        'block', one.block, 'about', sprintf('output %d', one.port))]; %#ok<AGROW>
end
end

function found = nonfinite(log)
found = struct('block', {}, 'port', {}, 'time', {}, 'value', {});
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
    found(end + 1) = struct('block', element.BlockPath.getBlock(1), ...
        'port', element.PortIndex, 'time', signal.Time(at), 'value', values(bad)); %#ok<AGROW>
end
found = plain(found);
end

function is = isfield_or_prop(value, name)
is = (isstruct(value) && isfield(value, name)) || (isobject(value) && isprop(value, name));
end

function show(report)
% For a person: what came of it, or the error.
if report.ok
    fprintf('%s: %d blocks, built and read back.\n', report.model, numel(report.blocks));
    return
end
lines = {};
for k = 1:numel(report.errors)
    lines{end + 1} = report.errors(k).message; %#ok<AGROW>
end
for k = 1:numel(report.differences)
    one = report.differences(k);
    lines{end + 1} = sprintf('%s of %s is "%s", not "%s"', ...
        one.what, one.block, one.found, one.meant); %#ok<AGROW>
end
error('grounded:notBuilt', '%s', sprintf('The model was not kept.%s', ...
    sprintf('\n  %s', lines{:})));
end
