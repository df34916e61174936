function findings = validate(what)
%GROUNDED.VALIDATE What is wrong with a model, before Simulink opens or runs it.
%   grounded.validate('motor.slx') judges a file, .slx or .mdl, of any release.
%   grounded.validate('models') judges the model files of a folder and the folders in it.
%   grounded.validate('motor') judges an open model as it is, saved or not.
%   findings = grounded.validate(...) gives a struct array instead of printing: file, path
%   (of the block), code, class ('wrong', 'incomplete', 'advice'), message, help.
%
%   Libraries that a model links into go along: from its folder, the folder that is judged, or the
%   path of MATLAB. One that lies in several places is left open, as which one counts is not known.
%
%   Files need no Simulink. They are judged by the catalog of the environment, or by the one
%   that the sidecar uses. A file may have 13 MB; larger ones go to `grounded validate` in a shell,
%   and one of a folder is passed by with a warning.
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
% The findings on a file; one that was found in a folder may be of another program.
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
        found = grounded.internal.library_file(more{k}, around);
        if ~isempty(found)
            [content, left] = grounded.internal.file_content(found, room);
            if left < 0
                warning('grounded:tooLarge', 'The library %s is left open: %s', found, ...
                    'a model and its libraries may have 13 MB together.');
            else
                room = left;
                [~, stem, ending] = fileparts(found);
                question.libraries{end + 1} = struct('name', [stem ending], 'model', content);
            end
        end
    end
    if numel(question.libraries) == sent
        break
    end
end
findings = struct('file', {}, 'path', {}, 'code', {}, 'class', {}, 'message', {}, 'help', {});
told = report.diagnostics;
if isstruct(told)
    told = num2cell(told);
end
for k = 1:numel(told)
    one = told{k};
    if is_found && strcmp(one.code, 'GB106')
        continue % no model: .mdl is the ending of other programs too
    end
    path = one.node;
    if ~ischar(path)
        path = '';
    end
    findings(end + 1) = struct('file', name, 'path', path, 'code', one.code, ...
        'class', one.class, 'message', one.message, 'help', one.help); %#ok<AGROW>
end
end

function texts = cellstr_of(value)
% A list of texts, as it was told.
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
% For a person: a line for each finding and one for what to do.
for k = 1:numel(findings)
    one = findings(k);
    place = one.file;
    if ~isempty(one.path)
        place = [place ': ' one.path];
    end
    fprintf('%s: %s %s: %s\n    %s\n', place, one.class, one.code, one.message, one.help);
end
fprintf('%d judged, %d findings.\n', judged, numel(findings));
end
