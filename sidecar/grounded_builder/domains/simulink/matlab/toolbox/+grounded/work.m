function last = work(varargin)
%GROUNDED.WORK Take jobs for this environment from the sidecar, build them, and report the results.
%   grounded.work() runs until it is interrupted, and then returns the current job to the sidecar.
%   report = grounded.work('Once', true) takes at most one job and returns its report.
%   grounded.work('Name', 'lab-7', 'Wait', 25, 'Lease', 600)
%
%   Options: 'Once' (false); 'Name' ('matlab') is the name of this worker; 'Wait' (25) is the number
%   of seconds that a request waits for a job; 'Lease' (600) is the number of seconds without a sign
%   of life after which a job goes to another worker. A build sends such signs between its blocks,
%   but not while Simulink updates the diagram or simulates; 'Job' is the id of the only job to take.
%
%   The report of a build is stored in a file until the sidecar has received it. The worker repeats
%   its requests while nothing answers. A job that fails is reported and does not end the worker.
%
%   See also grounded.build, grounded.sync, grounded.connect
settings = struct('Once', false, 'Name', 'matlab', 'Wait', 25, 'Lease', 600, 'Job', '');
settings = grounded.internal.options_of(settings, varargin, 'work');
grounded.internal.expect_simulink('grounded.work');
session = grounded.connect();
wait = settings.Wait;
patience = Inf;
if settings.Once
    wait = 0;
    patience = session.patience;
end
% A lease whose answer is lost on the way holds the job for this long.
first = min(60, settings.Lease);
last = [];
breath = 1;
while true
    if grounded.internal.send_kept() > 0 && ~settings.Once
        pause(breath); % what is built is reported before anything else is
        breath = min(2 * breath, 60);
        continue
    end
    breath = 1;
    question = struct('environment', session.environment, 'worker', settings.Name, ...
        'seconds', first, 'wait', wait, 'job', settings.Job, ...
        'clock', grounded.internal.unix_time());
    answer = grounded.ask('post', '/v1/simulink/jobs/lease', question, patience);
    if ~isempty(answer.jobs)
        last = build_job(answer.jobs, settings.Lease);
    end
    if settings.Once
        return
    end
end
end

function report = build_job(job, seconds)
% The report on one job, which is sent, or kept until it can be.
lease = containers.Map({'held', 'at'}, {true, []});
back = onCleanup(@() give_back(job, lease)); %#ok<NASGU>
report = grounded.run_script(job.script, job.file, jsondecode(job.options), ...
    @() renew(job, lease, seconds));
grounded.internal.keep(job, report);
lease('held') = false;
grounded.internal.send_kept();
end

function renew(job, lease, seconds)
% Hold the job for longer, now and then; an error where it is not ours any more.
at = lease('at');
if ~isempty(at) && toc(at) >= 0 && toc(at) < seconds / 3
    return
end
lease('at') = tic();
try
    grounded.ask('post', ['/v1/simulink/jobs/' job.id '/result'], ...
        struct('lease', job.lease, 'seconds', seconds), 0);
catch cause
    if ~strcmp(cause.identifier, 'grounded:unreachable')
        rethrow(cause);
    end
end
end

function give_back(job, lease)
% A worker that is interrupted leaves the job to others, at once.
if ~lease('held')
    return
end
try
    grounded.ask('post', ['/v1/simulink/jobs/' job.id '/result'], ...
        struct('lease', job.lease, 'back', true), 0);
catch cause
    fprintf('The job %s waits until its lease runs out: %s\n', job.id, cause.message);
end
end
