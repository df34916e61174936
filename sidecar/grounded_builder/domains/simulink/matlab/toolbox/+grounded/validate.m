function findings = validate(what)
%GROUNDED.VALIDATE Report errors in a model before Simulink opens or runs it.
%   grounded.validate('motor.slx') checks a file, .slx or .mdl, of any release.
%   grounded.validate('models') checks all model files in a folder and its subfolders.
%   grounded.validate('motor') checks an open model in its current state, saved or not.
%   findings = grounded.validate(...) returns a struct array instead of printing: file, path
%   (of the block), code, class ('wrong', 'incomplete', 'advice'), message, help.
%
%   Libraries to which a model links are sent with it. They are taken from its folder, from the
%   checked folder, or from the path of MATLAB. A library that is in several places is not sent,
%   because it is not known which one applies.
%
%   Files are checked without Simulink, against the catalog of the environment or the active
%   catalog of the sidecar. The limit for a file is 13 MB; check larger files with `grounded
%   validate` in a shell. A larger file in a folder is skipped with a warning.
%
%   See also grounded.sync, grounded.connect
if nargin < 1 || ~ischar(what)
    error('grounded:validate', 'Name a file, a folder or an open model.');
end
findings = struct('file', {}, 'path', {}, 'code', {}, 'class', {}, 'message', {}, 'help', {});
if isfolder(what)
    files = model_files(what);
    judged = 0;
    for k = 1:numel(files)
        try
            findings = [findings, of_file(files{k}, files{k}, true, files)]; %#ok<AGROW>
            judged = judged + 1;
        catch cause
            if ~strcmp(cause.identifier, 'grounded:tooLarge')
                rethrow(cause);
            end
            warning('grounded:tooLarge', '%s', cause.message);
        end
    end
elseif isfile(what)
    findings = [findings, of_file(what, what, false, beside(what))];
    judged = 1;
elseif exist('bdIsLoaded') && isvarname(what) && bdIsLoaded(what) %#ok<EXIST>
    copy = saved_copy(what);
    gone = onCleanup(@() delete(copy)); %#ok<NASGU>
    findings = [findings, of_file(copy, what, false, {})];
    judged = 1;
else
    error('grounded:validate', 'There is no file, folder or open model "%s".', what);
end
if nargout == 0
    show(findings, judged);
    clear findings
end
end

function files = model_files(folder)
% The model files below a folder, in the order of their names; links are not followed twice.
files = {};
inside = dir(folder);
for k = 1:numel(inside)
    path = fullfile(folder, inside(k).name);
    [~, ~, ending] = fileparts(inside(k).name);
    if inside(k).isdir
        if inside(k).name(1) ~= '.' && numel(path) < 2000
            files = [files, model_files(path)]; %#ok<AGROW>
        end
    elseif any(strcmpi(ending, {'.slx', '.mdl'}))
        files{end + 1} = path; %#ok<AGROW>
    end
end
end

function files = beside(file)
% The model files of the folder of one, not of folders in it.
folder = fileparts(file);
if isempty(folder)
    folder = pwd();
end
inside = dir(folder);
files = {};
for k = 1:numel(inside)
    [~, ~, ending] = fileparts(inside(k).name);
    if ~inside(k).isdir && any(strcmpi(ending, {'.slx', '.mdl'}))
        files{end + 1} = fullfile(folder, inside(k).name); %#ok<AGROW>
    end
end
end

function findings = of_file(file, name, is_found, around)
% Return the findings on a file; a file found in a folder may belong to another program.
[content, room] = grounded.internal.file_content(file, 13e6);
if room < 0
    error('grounded:tooLarge', ['The file %s has %d bytes, more than 13 MB: ' ...
        'use `grounded validate --domain simulink` in a shell.'], name, 13e6 - room);
end
[~, stem, ending] = fileparts(file);
session = grounded.connect();
question = struct('name', [stem ending], 'model', content, 'catalog', session.environment);
asked = {};
question.libraries = {};
while true
    report = grounded.ask('post', '/v1/simulink/validate', question);
    more = setdiff(cellstr_of(report.missing_libraries), asked);
    sent = numel(question.libraries);
    for k = 1:numel(more)
        asked{end + 1} = more{k}; %#ok<AGROW>
        library = grounded.internal.library_file(more{k}, around);
        if ~isempty(library)
            [content, left] = grounded.internal.file_content(library, room);
            if left < 0
                warning('grounded:tooLarge', 'The library %s is not sent: %s', library, ...
                    'a model and its libraries may have 13 MB together.');
            else
                room = left;
                [~, stem, ending] = fileparts(library);
                question.libraries{end + 1} = struct('name', [stem ending], 'model', content);
            end
        end
    end
    if numel(question.libraries) == sent
        break
    end
end
findings = struct('file', {}, 'path', {}, 'code', {}, 'class', {}, 'message', {}, 'help', {});
diagnostics = report.diagnostics;
if isstruct(diagnostics)
    diagnostics = num2cell(diagnostics);
end
for k = 1:numel(diagnostics)
    finding = diagnostics{k};
    if is_found && strcmp(finding.code, 'GB106')
        continue % no model: .mdl is the ending of other programs too
    end
    path = finding.node;
    if ~ischar(path)
        path = '';
    end
    findings(end + 1) = struct('file', name, 'path', path, 'code', finding.code, ...
        'class', finding.class, 'message', finding.message, 'help', finding.help); %#ok<AGROW>
end
end

function texts = cellstr_of(value)
% Return a value as a list of texts.
texts = {};
if iscell(value)
    texts = value(:)';
end
end

function file = saved_copy(model)
% A file of an open model as it is now; the model keeps its own name and file.
copy = 'grounded_copy';
while bdIsLoaded(copy)
    copy = [copy '_']; %#ok<AGROW>
end
new_system(copy);
closed = onCleanup(@() close_system(copy, 0)); %#ok<NASGU>
Simulink.BlockDiagram.copyContentsToBlockDiagram(model, copy);
file = [tempname() '.slx'];
save_system(copy, file);
end

function show(findings, judged)
% Print two lines for each finding: the message and the help.
for k = 1:numel(findings)
    finding = findings(k);
    place = finding.file;
    if ~isempty(finding.path)
        place = [place ': ' finding.path];
    end
    fprintf('%s: %s %s: %s\n    %s\n', place, finding.class, finding.code, finding.message, finding.help);
end
fprintf('%d checked, %d findings.\n', judged, numel(findings));
end
