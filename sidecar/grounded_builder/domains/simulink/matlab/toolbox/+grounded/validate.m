function findings = validate(what)
%GROUNDED.VALIDATE What is wrong with a model, before Simulink opens or runs it.
%   grounded.validate('motor.slx') judges a file, .slx or .mdl, of any release.
%   grounded.validate('models') judges the model files of a folder and the folders in it.
%   grounded.validate('motor') judges an open model as it is, saved or not.
%   findings = grounded.validate(...) gives a struct array instead of printing: file, path
%   (of the block), code, class ('wrong', 'incomplete', 'advice'), message, help.
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
            findings = [findings, of_file(files{k}, files{k}, true)]; %#ok<AGROW>
            judged = judged + 1;
        catch cause
            if ~strcmp(cause.identifier, 'grounded:tooLarge')
                rethrow(cause);
            end
            warning('grounded:tooLarge', '%s', cause.message);
        end
    end
elseif isfile(what)
    findings = [findings, of_file(what, what, false)];
    judged = 1;
elseif exist('bdIsLoaded') && isvarname(what) && bdIsLoaded(what) %#ok<EXIST>
    copy = saved_copy(what);
    gone = onCleanup(@() delete(copy)); %#ok<NASGU>
    findings = [findings, of_file(copy, what, false)];
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

function findings = of_file(file, name, is_found)
% The findings on a file; one that was found in a folder may be of another program.
facts = dir(file);
if facts(1).bytes > 13e6
    error('grounded:tooLarge', ['The file %s has %d bytes, more than 13 MB: ' ...
        'use `grounded validate --domain simulink` in a shell.'], name, facts(1).bytes);
end
in = fopen(file, 'r');
if in < 0
    error('grounded:validate', 'The file %s cannot be read.', name);
end
bytes = fread(in, Inf, '*uint8');
fclose(in);
[~, stem, ending] = fileparts(file);
session = grounded.connect();
report = grounded.ask('post', '/v1/simulink/validate', struct('name', [stem ending], ...
    'model', grounded.internal.base64(bytes), 'catalog', session.environment));
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
