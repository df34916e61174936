function answer = ask(method, path, content)
%GROUNDED.ASK One question to the sidecar; an answer that is no success is an error here.
%   answer = grounded.ask('get', '/v1/simulink/jobs/ID')
%   answer = grounded.ask('post', '/v1/simulink/jobs', struct('request', 'a PI motor'))
%
%   The same in MATLAB and in Octave: a form field goes out, text comes back.
session = grounded.connect();
% One header alone: Octave 7 loses the order of more.
options = weboptions('HeaderFields', {'Authorization', ['Bearer ' session.token]}, ...
    'UserAgent', 'grounded-matlab', 'Timeout', 60, 'ContentType', 'text');
try
    if strcmp(method, 'get')
        text = webread([session.url path], options);
    else
        text = webwrite([session.url path], 'payload', jsonencode(content), options);
    end
catch cause
    error('grounded:unreachable', '%s', sprintf(['The sidecar at %s did not answer: %s\n' ...
        'Start it with `grounded serve`, or call grounded.connect again.'], ...
        session.url, cause.message));
end
try
    answer = jsondecode(text);
catch
    error('grounded:answer', 'What answers at %s is not the sidecar.', session.url);
end
if isfield(answer, 'ok') && ~answer.ok
    error(['grounded:' strrep(answer.error.code, '-', '_')], '%s. %s', ...
        answer.error.message, answer.error.help);
end
end
