function last = work(varargin)
%GROUNDED.WORK Build what is asked for: take jobs of this environment, and report each.
%   grounded.work() goes on until it is interrupted.
%   report = grounded.work('Once', true) takes one job at most, and gives its report.
%   grounded.work('Name', 'lab-7', 'Wait', 25, 'Lease', 600)
%
%   A job that this worker does not report within 'Lease' seconds goes to another one.
settings = struct('Once', false, 'Name', 'matlab', 'Wait', 25, 'Lease', 600);
for k = 1:2:numel(varargin)
    if k == numel(varargin) || ~isfield(settings, varargin{k})
        error('grounded:work', 'The options are Once, Name, Wait and Lease.');
    end
    settings.(varargin{k}) = varargin{k + 1};
end
wait = settings.Wait;
if settings.Once
    wait = 0;
end
session = grounded.connect();
last = [];
while true
    question = struct('environment', session.environment, 'worker', settings.Name, ...
        'seconds', settings.Lease, 'wait', wait);
    answer = grounded.ask('post', '/v1/simulink/jobs/lease', question);
    if ~isempty(answer.jobs)
        job = answer.jobs;
        last = grounded.run_script(job.script, job.file, jsondecode(job.options));
        grounded.ask('post', ['/v1/simulink/jobs/' job.id '/result'], ...
            struct('lease', job.lease, 'report', last));
    end
    if settings.Once
        return
    end
end
end
