function report = finish(model, expected, options)
% Arrange, update, read back, simulate and save a model; close a model with errors.
report = empty_report(model);
if options.Layout
    Simulink.BlockDiagram.arrangeSystem(model);
end
beat();
set_param(model, 'SimulationCommand', 'update');
beat();
[report.blocks, report.differences] = read_back(model, expected);
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

function report = failure_report(model, cause)
% Close an incomplete model and return a report with its error.
report = empty_report(model);
report.errors = errors_of(cause);
if bdIsLoaded(model)
    close_system(model, 0);
end
end

function errors = errors_of(cause)
% Return an error and its causes, each with its identifier and its block.
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
        errors = [errors, errors_of(cause.cause{k})]; %#ok<AGROW>
    end
catch
    % Octave's errors have no causes.
end
end

function [blocks, differences] = read_back(model, expected)
% Read the blocks of the model, and list the differences from the expected ones.
blocks = struct('path', {}, 'BlockType', {}, 'MaskType', {}, 'ReferenceBlock', {}, ...
    'LinkStatus', {}, 'MaskInitialization', {});
differences = struct('block', {}, 'what', {}, 'expected', {}, 'actual', {});
for k = 1:size(expected, 1)
    path = [model '/' expected{k, 1}];
    block.path = path;
    block.BlockType = get_param(path, 'BlockType');
    block.MaskType = get_param(path, 'MaskType');
    block.ReferenceBlock = get_param(path, 'ReferenceBlock');
    block.LinkStatus = get_param(path, 'LinkStatus');
    block.MaskInitialization = get_param(path, 'MaskInitialization');
    blocks(end + 1) = block; %#ok<AGROW>
    differences = differ(differences, path, 'BlockType', expected{k, 2}, block.BlockType);
    differences = differ(differences, path, 'MaskType', expected{k, 3}, block.MaskType);
    if ~isempty(block.ReferenceBlock)
        differences = differ(differences, path, 'ReferenceBlock', expected{k, 4}, ...
            block.ReferenceBlock);
    end
    if strcmp(block.LinkStatus, 'unresolved')
        differences = differ(differences, path, 'LinkStatus', 'resolved', 'unresolved');
    end
    drafted = expected{k, 5};
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

function differences = differ(differences, block, what, expected, actual)
% Add a difference; white space in paths is not compared.
if isempty(expected) || strcmp(regexprep(expected, '\s+', ' '), regexprep(actual, '\s+', ' '))
    return
end
differences(end + 1) = struct('block', block, 'what', what, 'expected', expected, 'actual', actual);
end
