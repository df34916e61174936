function report = build(wanted, varargin)
%GROUNDED.BUILD Have a model drafted and compiled, and build it in this MATLAB.
%   grounded.build('a PI-controlled DC motor with a step reference')
%   grounded.build('...', 'Simulate', 10, 'File', 'motor.slx')
%   report = grounded.build(plan) builds a plan, a struct with the field steps.
%
%   Options: 'Simulate', how many steps to run; 'File', where to keep the model; 'Overwrite';
%   'Layout'; 'Attempts' (3), how often to draft again with what Simulink says.
%
%   See also grounded.connect, grounded.work
attempts = 3;
options = struct();
for k = 1:2:numel(varargin)
    if k == numel(varargin) || ~ischar(varargin{k})
        error('grounded:build', 'Options come in pairs of a name and a value.');
    end
    if strcmp(varargin{k}, 'Attempts')
        attempts = varargin{k + 1};
    else
        options.(varargin{k}) = varargin{k + 1};
    end
end
session = grounded.connect();
order = struct('environment', session.environment, 'attempts', attempts, 'options', options);
if ischar(wanted)
    order.request = wanted;
else
    order.plan = wanted;
end
answer = grounded.ask('post', '/v1/simulink/jobs?wait=25', order);
id = answer.jobs.id;
report = struct();
while true
    job = grounded.ask('get', ['/v1/simulink/jobs/' id]);
    state = job.jobs.state;
    if strcmp(state, 'ready')
        done = grounded.work('Once', true);
        if ~isempty(done)
            report = done;
        end
    elseif any(strcmp(state, {'built', 'failed', 'cancelled'}))
        break
    else
        pause(0.25);
    end
end
if ~strcmp(state, 'built')
    error('grounded:notBuilt', '%s. %s', job.jobs.problem, job.jobs.summary);
end
end
