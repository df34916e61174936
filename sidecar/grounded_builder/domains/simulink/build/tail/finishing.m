function report = finish(model, meant, options)
% Arrange, update, read back, run and keep a model; a model that is not whole is closed.
report = empty_report(model);
if options.Layout
    Simulink.BlockDiagram.arrangeSystem(model);
end
beat();
set_param(model, 'SimulationCommand', 'update');
beat();
[report.blocks, report.differences] = read_back(model, meant);
if ~isempty(report.differences)
    close_system(model, 0);
    return
end
if options.Simulate > 0
    beat();
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
