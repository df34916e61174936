function answer = ask(method, path, content, patience)
%GROUNDED.ASK Send a request to the sidecar and return its answer.
%   answer = grounded.ask('get', '/v1/simulink/jobs/ID')
%   answer = grounded.ask('post', '/v1/simulink/jobs', struct('request', 'a PI motor'))
%   answer = grounded.ask('delete', '/v1/simulink/jobs/ID')
%   answer = grounded.ask(method, path, content, patience) repeats the request for this many
%   seconds while the sidecar does not answer. The default is the 'Patience' of grounded.connect.
%
%   The function works in MATLAB and in GNU Octave: it sends a form field and receives text. Content
%   that is text is sent unchanged. An answer that reports a failure is raised as an error:
%   grounded:unreachable if nothing answers, grounded:answer if another program answers, and the
%   error of the sidecar otherwise.
%
%   See also grounded.connect
session = grounded.connect();
if nargin < 3
    content = struct();
end
if ~ischar(content)
    content = jsonencode(content);
end
if nargin < 4
    patience = session.patience;
end
% One header alone: Octave 7 loses the order of more.
options = weboptions('HeaderFields', {'Authorization', ['Bearer ' session.token]}, ...
    'UserAgent', 'grounded-matlab/0.1.0', 'Timeout', session.timeout, 'ContentType', 'text');
if strcmp(method, 'delete')
    options.RequestMethod = 'delete';
end
pauses = 0;
next = 0.25;
while true
    try
        if strcmp(method, 'post')
            text = webwrite([session.url path], 'payload', content, options);
        else
            text = webread([session.url path], options);
        end
        break
    catch cause
        if pauses >= patience
            error('grounded:unreachable', '%s', sprintf(['The sidecar at %s did not answer: ' ...
                '%s\nStart it with `grounded serve`, or call grounded.connect again.'], ...
                session.url, cause.message));
        end
    end
    pause(next);
    pauses = pauses + next;
    next = min(2 * next, 15);
end
try
    answer = jsondecode(text);
catch
    answer = [];
end
if ~isstruct(answer)
    error('grounded:answer', 'The program at %s is not the sidecar.', session.url);
end
if isfield(answer, 'ok') && ~answer.ok
    if strcmp(answer.error.code, 'no-such-catalog')
        error('grounded:unknown_environment', ...
            'The sidecar at %s does not keep this environment any more: %s. %s', session.url, ...
            answer.error.message, 'Run grounded.sync again.');
    end
    error(['grounded:' strrep(answer.error.code, '-', '_')], '%s. %s', ...
        answer.error.message, answer.error.help);
end
end
