function options = chosen(given)
% The options, each with its default.
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
% Say that the build goes on, where somebody wants to hear it.
persistent heard
if nargin > 0
    heard = given;
elseif isa(heard, 'function_handle')
    heard();
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
ended(false);
new_system(model);
end

function is = ended(now_is)
% Whether the build has come to an end, good or bad.
persistent kept
if nargin > 0
    kept = now_is;
end
is = kept;
end

function abandon(model)
% A build that was interrupted leaves no half model.
if ~ended() && bdIsLoaded(model)
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
beat();
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
beat();
try
    line = led(system, start, stop);
    if nargin > 5
        set_param(line, 'Name', name);
    end
catch cause
    named(cause, [system '/' strrep(to, '/', '//')], [start ' -> ' stop]);
end
end

function line = led(system, start, stop)
% Around blocks and other lines; where a release leads no line so, around blocks alone.
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
