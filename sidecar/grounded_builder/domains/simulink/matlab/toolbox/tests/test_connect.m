% Tests the settings of the connection, and the errors when the sidecar does not answer.

%% The given settings are stored
before = grounded.connect();
back = onCleanup(@() reconnect(before));
grounded.connect('http://127.0.0.1:1/', 'secret', 'Check', false, 'Patience', 0, ...
    'Environment', 'abc');
now_ = grounded.connect();
assert(strcmp(now_.url, 'http://127.0.0.1:1'));
assert(strcmp(now_.environment, 'abc'));
assert(now_.patience == 0);

%% A call without a semicolon does not show the token
before = grounded.connect();
back = onCleanup(@() reconnect(before));
shown = evalc('grounded.connect(''http://127.0.0.1:1'', ''secret'', ''Check'', false)');
assert(isempty(strfind(shown, 'secret')));

%% An address without a scheme is rejected
assert(strcmp(error_of(@() grounded.connect('localhost:8377', 'x')), 'grounded:connect'));

%% A token that is not text is rejected
assert(strcmp(error_of(@() grounded.connect('http://127.0.0.1', 7)), 'grounded:connect'));

%% A missing token file is rejected
assert(strcmp(error_of(@() grounded.connect('http://127.0.0.1', ['@' tempname()])), ...
    'grounded:connect'));

%% A misspelled option is rejected
assert(strcmp(error_of(@() grounded.connect('http://127.0.0.1', 'x', 'Enviroment', 'y')), ...
    'grounded:connect'));

%% A rejected call does not change the connection
before = grounded.connect();
error_of(@() grounded.connect('localhost:8377', 'x'));
assert(isequal(grounded.connect(), before));

%% An address that does not answer is an error and does not change the connection
before = grounded.connect();
assert(strcmp(error_of(@() grounded.connect('http://127.0.0.1:1', 'x', 'Patience', 0)), ...
    'grounded:unreachable'));
assert(isequal(grounded.connect(), before));
back = onCleanup(@() reconnect(before));
grounded.connect('http://127.0.0.1:1', 'x', 'Patience', 0, 'Check', false);
assert(strcmp(error_of(@() grounded.find('sine')), 'grounded:unreachable'));

%% An unknown token is reported at once
before = grounded.connect();
assert(strcmp(error_of(@() grounded.connect(before.url, 'wrong', ...
    'Patience', before.patience)), 'grounded:unauthorized'));
assert(isequal(grounded.connect(), before));
back = onCleanup(@() reconnect(before));
grounded.connect(before.url, 'wrong', 'Patience', before.patience, 'Check', false);
assert(strcmp(error_of(@() grounded.find('sine')), 'grounded:unauthorized'));

%% A wrong path in the address of the sidecar is reported at once
before = grounded.connect();
assert(strcmp(error_of(@() grounded.connect([before.url '/docs'], before.token, ...
    'Patience', before.patience)), 'grounded:not_found'));

%% An environment that is not stored is reported
before = grounded.connect();
back = onCleanup(@() reconnect(before));
grounded.connect(before.url, before.token, 'Environment', repmat('0', 1, 64), ...
    'Patience', before.patience);
assert(strcmp(error_of(@() grounded.find('sine')), 'grounded:unknown_environment'));

%% A missing route is reported
assert(strcmp(error_of(@() grounded.ask('get', '/v1/nowhere')), 'grounded:not_found'));
