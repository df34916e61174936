function session = connect(url, token, varargin)
%GROUNDED.CONNECT Say where the sidecar is, and with which token to ask it.
%   grounded.connect('http://127.0.0.1:8377', token) connects until the session ends.
%   grounded.connect(url, '@/path/to/token') reads the token from a file.
%   grounded.connect(url, token, 'Environment', fingerprint) compiles for that catalog.
%   session = grounded.connect() gives what is connected now.
%
%   Options: 'Environment', the fingerprint that grounded.sync gave; 'Patience' (10), for how
%   many seconds a question is asked again while nothing answers; 'Timeout' (60), for how many
%   seconds one answer is waited for, which GNU Octave 7 does without end; 'Folder', where
%   reports wait that could not be sent.
%
%   See also grounded.sync, grounded.build, grounded.work, grounded.find, grounded.validate
persistent kept
if nargin == 0
    if isempty(kept)
        error('grounded:notConnected', 'Call grounded.connect(url, token) first.');
    end
    session = kept;
    return
end
if nargin < 2 || ~ischar(url) || ~ischar(token)
    error('grounded:connect', 'Give the address of the sidecar and a token, both as text.');
end
if isempty(regexp(url, '^https?://[^/\s]+', 'once'))
    error('grounded:connect', 'The address "%s" does not begin with http:// or https://.', url);
end
if ~isempty(token) && token(1) == '@'
    try
        token = strtrim(fileread(token(2:end)));
    catch
        error('grounded:connect', 'The token cannot be read from the file %s.', token(2:end));
    end
end
session = struct('url', regexprep(url, '/+$', ''), 'token', token, 'environment', '', ...
    'patience', 10, 'timeout', 60, 'folder', fullfile(prefdir(), 'grounded'));
for k = 1:2:numel(varargin)
    known = any(strcmp(varargin{k}, {'Environment', 'Patience', 'Timeout', 'Folder'}));
    if k == numel(varargin) || ~known
        error('grounded:connect', 'The options are Environment, Patience, Timeout and Folder.');
    end
    session.(lower(varargin{k})) = varargin{k + 1};
end
kept = session;
if nargout == 0
    clear session % a token is not to be shown
end
end
