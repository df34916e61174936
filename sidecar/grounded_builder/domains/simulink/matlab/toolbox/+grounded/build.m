function report = build(wanted, varargin)
%GROUNDED.BUILD Draft and compile a model, and build it in this MATLAB.
%   grounded.build('a closed loop of a PI controller and the plant 2/(0.5s+1) with a step reference')
%   grounded.build('...', 'Simulate', 10, 'File', 'motor.slx')
%   report = grounded.build(plan) builds a plan, which is a struct with the field steps.
%   report = grounded.build(...) returns the result: ok, model, file, blocks, simulation, and
%   the id of the job in the field job.
%
%   Options: 'Simulate' (0) is the number of steps to simulate; 'File' ('') is the file to save the
%   model to; 'Overwrite' (false) permits replacing an existing file; 'Layout' (true) lets
%   Simulink arrange the blocks; 'Attempts' (3) is the number of drafts, each corrected by the
%   errors that Simulink reports. The error grounded:notBuilt states why a model cannot be built.
%   Interrupting the call cancels its job.
%
%   See also grounded.connect, grounded.sync, grounded.open, grounded.work
if nargin < 1
    error('grounded:build', 'Say what to build as text, or as a plan with steps.');
end
settings = struct('Simulate', [], 'File', '', 'Overwrite', [], 'Layout', [], 'Attempts', 3);
settings = grounded.internal.options_of(settings, varargin, 'build');
grounded.internal.expect_simulink('grounded.build');
session = grounded.connect();
options = struct();
for name = {'Simulate', 'File', 'Overwrite', 'Layout'}
    if ~isempty(settings.(name{1}))
        options.(name{1}) = settings.(name{1});
    end
end
order = struct('environment', session.environment, 'attempts', settings.Attempts, ...
    'options', options, 'key', make_key());
if ischar(wanted)
    order.request = wanted;
elseif isstruct(wanted) && isfield(wanted, 'steps')
    if isstruct(wanted.steps)
        wanted.steps = reshape(num2cell(wanted.steps), 1, []); % one step is a list of one
    end
    order.plan = wanted;
else
    error('grounded:build', 'Say what to build as text, or as a plan with steps.');
end
answer = grounded.ask('post', '/v1/simulink/jobs?wait=25', order);
job = answer.jobs;
over = containers.Map({'is'}, {false});
ended = onCleanup(@() cancel(job.id, over)); %#ok<NASGU>
report = struct();
while ~any(strcmp(job.state, {'built', 'failed', 'cancelled'}))
    done = grounded.work('Once', true, 'Job', job.id);
    if isempty(done)
        pause(0.5);
    else
        report = done;
    end
    answer = grounded.ask('get', ['/v1/simulink/jobs/' job.id '?picture=false']);
    job = answer.jobs;
end
over('is') = true;
if ~strcmp(job.state, 'built')
    error('grounded:notBuilt', '%s', failure_text(job));
end
if ~isfield(report, 'ok')
    report = job.report; % another worker was faster
end
report.job = job.id;
if nargout == 0
    fprintf('%s\n%s: %d blocks, built and read back.\n', job.summary, report.model, ...
        numel(report.blocks));
    clear report
end
end

function key = make_key()
% The same order twice under one key is one job; a second call is another one.
[~, name] = fileparts(tempname());
key = sprintf('%s-%.0f', name, double(tic()));
end

function text = failure_text(job)
% Why a job came to nothing: its problem, and what there is to know of it.
lines = {job.problem};
if isempty(job.problem)
    lines = {['the job is ' job.state]};
end
diagnostics = job.diagnostics;
if isstruct(diagnostics)
    diagnostics = num2cell(diagnostics);
end
for k = 1:numel(diagnostics)
    if strcmp(diagnostics{k}.class, 'wrong')
        lines{end + 1} = sprintf('%s: %s; %s', diagnostics{k}.code, diagnostics{k}.message, diagnostics{k}.help); %#ok<AGROW>
    end
end
text = strjoin(lines, sprintf('\n  '));
end

function cancel(id, over)
% Nobody waits for the model of a call that was interrupted.
if over('is')
    return
end
try
    grounded.ask('delete', ['/v1/simulink/jobs/' id], '', 0);
catch cause
    fprintf('The job %s is not cancelled: %s\n', id, cause.message);
end
end
