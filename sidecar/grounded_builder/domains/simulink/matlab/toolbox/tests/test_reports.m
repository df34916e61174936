% Tests that reports are stored until the sidecar has received them.

%% A report of a job that does not exist is reported and removed
before = grounded.connect();
back = onCleanup(@() reconnect(before));
folder = tempname();
grounded.connect(before.url, before.token, 'Folder', folder, 'Patience', before.patience);
grounded.internal.keep(struct('id', '01ARZ3NDEKTSV4RRFFQ69G5FAV', 'lease', 'x'), struct('ok', true));
assert(numel(dir(fullfile(folder, '*.report'))) == 1);
assert(grounded.internal.send_kept() == 0);
assert(isempty(dir(fullfile(folder, '*.report'))));
rmdir(folder);

%% A report for another sidecar remains stored
before = grounded.connect();
back = onCleanup(@() reconnect(before));
folder = tempname();
grounded.connect('http://127.0.0.1:1', 'x', 'Folder', folder, 'Check', false);
grounded.internal.keep(struct('id', '01ARZ3NDEKTSV4RRFFQ69G5FAV', 'lease', 'x'), struct('ok', true));
grounded.connect(before.url, before.token, 'Folder', folder, 'Patience', before.patience);
assert(grounded.internal.send_kept() == 0);
assert(numel(dir(fullfile(folder, '*.report'))) == 1);
delete(fullfile(folder, '*.report'));
rmdir(folder);

%% A report that is too long is sent without its blocks
before = grounded.connect();
back = onCleanup(@() reconnect(before));
folder = tempname();
grounded.connect('http://127.0.0.1:1', 'x', 'Folder', folder, 'Check', false);
grounded.internal.keep(struct('id', 'a', 'lease', 'b'), ...
    struct('ok', true, 'blocks', repmat('x', 1, 3000000)));
text = fileread(fullfile(folder, 'a-b.report'));
delete(fullfile(folder, '*.report'));
rmdir(folder);
assert(numel(text) < 1000 && ~isempty(strfind(text, '"ok":true')));
