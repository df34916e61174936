function session = connect(url, token, varargin)
%GROUNDED.CONNECT Set the address of the sidecar and the token for it.
%   grounded.connect('http://127.0.0.1:8377', token) connects for this session and checks the
%   connection. If nothing answers, another program answers, or the token is unknown, the function
%   raises an error and the previous connection stays.
%   grounded.connect(url, '@/path/to/token') reads the token from a file.
%   grounded.connect(url, token, 'Environment', fingerprint) compiles for that catalog.
%   session = grounded.connect() returns the current connection.
%
%   Options: 'Check' (true) checks the connection; 'Environment' is the fingerprint that
%   grounded.sync returned; 'Patience' (10) is the number of seconds during which a request is
%   repeated while nothing answers; 'Timeout' (60) is the number of seconds to wait for an answer,
%   which GNU Octave 7 does not limit; 'Folder' is the folder for reports that are not sent yet.
%
%   See also grounded.sync, grounded.build, grounded.work, grounded.find, grounded.validate
persistent stored
if nargin == 0
    if isempty(stored)
        error('grounded:notConnected', 'Call grounded.connect(url, token) first.');
    end
    session = stored;
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
asks = true;
for k = 1:2:numel(varargin)
    known = any(strcmp(varargin{k}, {'Check', 'Environment', 'Patience', 'Timeout', 'Folder'}));
    if k == numel(varargin) || ~known
        error('grounded:connect', ...
            'The options are Check, Environment, Patience, Timeout and Folder.');
    end
    if strcmp(varargin{k}, 'Check')
        asks = logical(varargin{k + 1});
    else
        session.(lower(varargin{k})) = varargin{k + 1};
    end
end
before = stored;
stored = session;
if asks
    try
        check(session);
    catch cause
        stored = before;
        rethrow(cause);
    end
end
if nargout == 0
    clear session % a token is not to be shown
end
end

function check(session)
% Ask for what any token of a sidecar opens.
path = '/v1/simulink/catalog';
try
    try
        answer = grounded.ask('get', path, struct(), 0);
    catch cause
        if ~strcmp(cause.identifier, 'grounded:unreachable')
            rethrow(cause);
        end
        % A program that answers in another way is no reason to wait.
        if ~isempty(regexp(cause.message, ['HTTP response code|returned the status|' ...
                'Unsupported protocol'], 'once'))
            error('grounded:answer', '%s', sprintf(['The program at %s is not the sidecar: ' ...
                'another program may have this port. %s'], session.url, cause.message));
        end
        answer = grounded.ask('get', path, struct(), session.patience);
    end
catch cause
    if strcmp(cause.identifier, 'grounded:forbidden')
        return % a token that opens other things is known all the same
    end
    if strcmp(cause.identifier, 'grounded:unauthorized')
        error('grounded:unauthorized', '%s', sprintf(['The sidecar at %s does not know this ' ...
            'token. The first one is in the file "token" of its state folder: ' ...
            'grounded.connect(url, ''@/path/to/token'').'], session.url));
    end
    rethrow(cause);
end
if ~isfield(answer, 'fingerprint')
    error('grounded:answer', 'The program at %s is not the sidecar.', session.url);
end
compare_clocks();
end

function compare_clocks()
% Leases and receipts go by the sidecar's clock; who reads times here should know of another one.
try
    health = grounded.ask('get', '/healthz', struct(), 0);
    ahead = grounded.internal.unix_time() - health.time;
catch
    return % it was there just now: what comes next says what is wrong
end
if abs(ahead) > 30
    sides = {'behind', 'ahead of'};
    warning('grounded:clock', ['The clock here is %.0f s %s the sidecar''s. Leases and times ' ...
        'of jobs go by the sidecar''s.'], abs(ahead), sides{1 + (ahead > 0)});
end
end
