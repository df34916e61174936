function session = connect(url, token, varargin)
%GROUNDED.CONNECT Say where the sidecar is, and with which token to ask it.
%   grounded.connect('http://127.0.0.1:8377', token) connects until the session ends.
%   grounded.connect(url, token, 'Environment', fingerprint) compiles for that catalog.
%   grounded.connect(url, '@/path/to/token') reads the token from a file.
%   session = grounded.connect() gives what is connected now.
%
%   See also grounded.build, grounded.work, grounded.find
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
if ~isempty(token) && token(1) == '@'
    token = strtrim(fileread(token(2:end)));
end
kept = struct('url', regexprep(url, '/+$', ''), 'token', token, 'environment', '');
if numel(varargin) == 2 && strcmp(varargin{1}, 'Environment')
    kept.environment = varargin{2};
elseif ~isempty(varargin)
    error('grounded:connect', 'The only option is ''Environment''.');
end
session = kept;
end
