% What is said of a connection, and where nothing or somebody else answers.

%% What was given is kept
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

%% An address without a scheme is refused
assert(strcmp(error_of(@() grounded.connect('localhost:8377', 'x')), 'grounded:connect'));

%% A token that is not text is refused
assert(strcmp(error_of(@() grounded.connect('http://127.0.0.1', 7)), 'grounded:connect'));

%% A token file that is not there is refused
assert(strcmp(error_of(@() grounded.connect('http://127.0.0.1', ['@' tempname()])), ...
    'grounded:connect'));

%% An option that is misspelt is refused
assert(strcmp(error_of(@() grounded.connect('http://127.0.0.1', 'x', 'Enviroment', 'y')), ...
    'grounded:connect'));

%% A refused call leaves the connection as it was
before = grounded.connect();
error_of(@() grounded.connect('localhost:8377', 'x'));
assert(isequal(grounded.connect(), before));

%% Where nothing answers it is said, and what was connected before stays so
before = grounded.connect();
assert(strcmp(error_of(@() grounded.connect('http://127.0.0.1:1', 'x', 'Patience', 0)), ...
    'grounded:unreachable'));
assert(isequal(grounded.connect(), before));
back = onCleanup(@() reconnect(before));
grounded.connect('http://127.0.0.1:1', 'x', 'Patience', 0, 'Check', false);
assert(strcmp(error_of(@() grounded.find('sine')), 'grounded:unreachable'));

%% A token that the sidecar does not know is told at once
before = grounded.connect();
assert(strcmp(error_of(@() grounded.connect(before.url, 'wrong', ...
    'Patience', before.patience)), 'grounded:unauthorized'));
assert(isequal(grounded.connect(), before));
back = onCleanup(@() reconnect(before));
grounded.connect(before.url, 'wrong', 'Patience', before.patience, 'Check', false);
assert(strcmp(error_of(@() grounded.find('sine')), 'grounded:unauthorized'));

%% An address of the sidecar that is none of its own is told at once
before = grounded.connect();
assert(strcmp(error_of(@() grounded.connect([before.url '/docs'], before.token, ...
    'Patience', before.patience)), 'grounded:not_found'));

%% An environment that is not kept is told
before = grounded.connect();
back = onCleanup(@() reconnect(before));
grounded.connect(before.url, before.token, 'Environment', repmat('0', 1, 64), ...
    'Patience', before.patience);
assert(strcmp(error_of(@() grounded.find('sine')), 'grounded:unknown_environment'));

%% A route that is not there is told
assert(strcmp(error_of(@() grounded.ask('get', '/v1/nowhere')), 'grounded:not_found'));
