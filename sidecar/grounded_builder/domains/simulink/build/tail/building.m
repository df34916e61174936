function options = read_options(given)
% Return the options, with defaults for those not given.
options = struct('Layout', true, 'File', '', 'Overwrite', false, 'Simulate', 0, 'Beat', []);
if mod(numel(given), 2) ~= 0
    error('grounded:options', 'Options come in pairs of a name and a value.');
end
for k = 1:2:numel(given)
    if ~ischar(given{k}) || ~isfield(options, given{k})
        error('grounded:options', 'The options are Layout, File, Overwrite, Simulate and Beat.');
    end
    options.(given{k}) = given{k + 1};
end
beat(options.Beat);
if ~isempty(options.File) && exist(options.File, 'file') && ~options.Overwrite
    error('grounded:fileExists', ...
        'The file %s exists; choose another one, or say ''Overwrite'', true.', options.File);
end
end

function beat(given)
% Call the function that a caller gave as a sign of life.
persistent listener
if nargin > 0
    listener = given;
elseif isa(listener, 'function_handle')
    listener();
end
end

function model = begin(name, options)
% Create a model under an unused name.
if ~isempty(options.File)
    [~, name] = fileparts(options.File);
end
model = name;
k = 1;
while bdIsLoaded(model) || (isempty(options.File) && exist(model, 'file') == 4)
    k = k + 1;
    model = sprintf('%s_%d', name, k);
end
is_ended(false);
new_system(model);
end

function is = is_ended(now_is)
% Return whether the build has ended, with or without an error.
persistent stored
if nargin > 0
    stored = now_is;
end
is = stored;
end

function abandon(model)
% Close the incomplete model of an interrupted build.
if ~is_ended() && bdIsLoaded(model)
    close_system(model, 0);
end
end

function path = add(system, name, source, varargin)
% One block from its library, with its parameters; a failure names the block.
path = [system '/' strrep(name, '/', '//')];
beat();
try
    add_block(source, path);
catch cause
    raise_at_block(cause, path, source);
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
            raise_at_block(cause, path, varargin{k});
        end
    end
    raise_at_block(together, path, '');
end
end

function library(name)
% Load the library that blocks come from.
beat();
try
    load_system(name);
catch cause
    raise_at_block(cause, name, name);
end
end

function clear_out(system)
% Empty a subsystem that comes from the library with an input and an output.
Simulink.SubSystem.deleteContents(system);
end

function wire(system, from, output, to, input, name)
% Connect two ports by a line; data ports have numbers, others names.
start = port_of(from, output);
stop = port_of(to, input);
beat();
try
    line = connect_ports(system, start, stop);
    if nargin > 5
        set_param(line, 'Name', name);
    end
catch cause
    raise_at_block(cause, [system '/' strrep(to, '/', '//')], [start ' -> ' stop]);
end
end

function line = connect_ports(system, start, stop)
% Route a line around blocks and lines; if the release cannot, around blocks only.
try
    line = add_line(system, start, stop, 'autorouting', 'smart');
catch
    line = add_line(system, start, stop, 'autorouting', 'on');
end
end

function text = port_of(block, port)
if isnumeric(port)
    port = sprintf('%d', port);
end
text = [strrep(block, '/', '//') '/' port];
end

function note(system, text, position)
% Add a note to the diagram.
add_block('built-in/Note', [system '/' strrep(text, '/', '//')], 'Position', position);
end

function raise_at_block(cause, block, about)
% Raise an error again with the block at which it occurred.
identifier = cause.identifier;
if isempty(identifier)
    identifier = 'grounded:simulink';
end
error(identifier, '%s', sprintf('%s\n[block] %s\n[about] %s', cause.message, block, about));
end
