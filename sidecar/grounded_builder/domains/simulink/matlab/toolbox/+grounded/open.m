function report = open(job, varargin)
%GROUNDED.OPEN Open the .slx file of a job in this MATLAB, and report the result to the sidecar.
%   grounded.open(job) opens the file of a job, given by its id or a report of grounded.build.
%   report = grounded.open(job, 'File', 'motor.slx') saves the file under this name; an existing
%   file is not replaced. Without 'File' the file is temporary, and the model stays open.
%
%   The sidecar writes the file without Simulink. The file counts as unverified until a client
%   reports that it opened with every block of the model. report has the fields opened,
%   verified, file, model and message.
%
%   See also grounded.build
settings = grounded.internal.options_of(struct('File', ''), varargin, 'open');
grounded.internal.expect_simulink('grounded.open');
if isstruct(job) && isfield(job, 'job')
    job = job.job;
end
if ~ischar(job) || isempty(regexp(job, '^\w+$', 'once'))
    error('grounded:open', 'Name a job by its id, or give the report of grounded.build.');
end
answer = grounded.ask('get', ['/v1/simulink/jobs/' job '?picture=false&slx=true']);
if isempty(answer.jobs.slx)
    error('grounded:open', 'There is no .slx file of the job %s, which is %s.', job, ...
        answer.jobs.state);
end
file = settings.File;
if isempty(file)
    file = [tempname() '.slx'];
    [folder, name] = fileparts(file);
    file = fullfile(folder, [regexprep(name, '\W', '_') '.slx']);
elseif exist(file, 'file')
    error('grounded:fileExists', 'The file %s exists; choose another one.', file);
end
bytes = matlab.net.base64decode(answer.jobs.slx);
out = fopen(file, 'w');
if out < 0
    error('grounded:open', 'The file %s cannot be written.', file);
end
fwrite(out, bytes, 'uint8');
fclose(out);
[~, model] = fileparts(file);
report = struct('opened', true, 'verified', false, 'file', file, 'model', model, 'message', '');
blocks = [];
try
    load_system(file);
    blocks = blocks_of(model);
catch cause
    report.opened = false;
    report.message = cause.message;
end
here = grounded.internal.here();
answer = grounded.ask('post', ['/v1/simulink/jobs/' job '/opened'], struct('opened', ...
    report.opened, 'message', report.message, 'run', answer.jobs.run, ...
    'release', [here.name ' ' here.release], 'blocks', blocks));
report.verified = answer.jobs.verified;
if nargout == 0
    if report.verified
        fprintf('%s opened with all its blocks: the file is verified.\n', file);
    else
        fprintf('%s is not verified: %s\n', file, answer.jobs.openings(end).message);
    end
    clear report
end
end

function blocks = blocks_of(model)
% The path inside the model and the type of every block that is not inside of a library link.
paths = find_system(model, 'LookUnderMasks', 'all', 'FollowLinks', 'off', 'Type', 'Block');
blocks = struct('path', {}, 'type', {});
for k = 1:numel(paths)
    blocks(end + 1) = struct('path', paths{k}(numel(model) + 2:end), ...
        'type', get_param(paths{k}, 'BlockType')); %#ok<AGROW>
end
if isempty(blocks)
    blocks = [];
end
end
