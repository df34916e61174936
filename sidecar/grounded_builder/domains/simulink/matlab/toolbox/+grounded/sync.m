function session = sync(varargin)
%GROUNDED.SYNC Tell the sidecar what is installed here, and compile for it from now on.
%   grounded.sync() walks the libraries of the Library Browser.
%   grounded.sync('simulink', 'fl_lib', 'my_blocks') walks these libraries alone.
%   session = grounded.sync(...) gives the connection, with the fingerprint of the environment.
%
%   What is told goes out in pieces, each asked for again while nothing answers. When the line
%   breaks for longer, call it again: only the pieces that did not arrive are sent. A library
%   that does not load is told, and the rest is known. The catalog that is active in the
%   sidecar stays active.
%
%   See also grounded.connect, grounded.build, grounded.work
session = grounded.connect();
names = varargin;
if ~iscellstr(names) %#ok<ISCLSTR>
    error('grounded:sync', 'Name libraries as text, or none.');
end
grounded.internal.expect_simulink('grounded.sync');
if isempty(names)
    names = browsed();
end
% A piece of this size passes a line of 3 kB/s before the question runs out of time.
pieces = cut(grounded.internal.installed(names), 100000);
upload = name_of(pieces);
next = 1;
asked = 0;
while true
    told = grounded.ask('post', '/v1/simulink/catalog/pieces', struct('upload', upload, ...
        'number', next, 'total', numel(pieces), 'lines', pieces{next}));
    if isempty(told.missing)
        break
    end
    asked = asked + 1;
    if told.missing(1) == next || asked > 2 * numel(pieces) + 10
        error('grounded:sync', ['The sidecar does not keep piece %d: look into its log, and ' ...
            'whether servers of several databases answer at %s.'], next, session.url);
    end
    next = told.missing(1);
end
session = grounded.connect(session.url, session.token, 'Environment', told.environment, ...
    'Check', false, 'Patience', session.patience, 'Timeout', session.timeout, 'Folder', session.folder);
fprintf('%d blocks are known of this installation.\n', told.blocks);
end

function names = browsed()
% The libraries that slblocks.m files announce, as the Library Browser finds them.
names = {'simulink'};
files = which('-all', 'slblocks');
for k = 1:numel(files)
    here = cd(fileparts(files{k}));
    try
        told = slblocks();
        names = [names, {told.Browser.Library}]; %#ok<AGROW>
    catch
        % A file of a product that is broken or has another form announces nothing.
    end
    cd(here);
    clear('slblocks');
end
names = unique(names);
end

function pieces = cut(lines, most)
% Whole lines together until a piece is long enough.
pieces = {};
from = 1;
size_of_piece = 0;
for k = 1:numel(lines)
    size_of_piece = size_of_piece + numel(lines{k}) + 1;
    if size_of_piece >= most || k == numel(lines)
        pieces{end + 1} = sprintf('%s\n', lines{from:k}); %#ok<AGROW>
        from = k + 1;
        size_of_piece = 0;
    end
end
end

function name = name_of(pieces)
% The same facts have the same name, so that an upload that broke off goes on.
moduli = [1048573 1048571 1048559];
sums = [1 1 1];
total = 0;
for p = 1:numel(pieces)
    text = double(pieces{p}) + 1;
    at = 1:numel(text);
    total = total + numel(text);
    for k = 1:3
        weights = mod(at .^ 2 * k + at, moduli(k));
        of_piece = mod(sum(mod(text .* weights, moduli(k))), moduli(k));
        sums(k) = mod(sums(k) * 65599 + of_piece + p, moduli(k));
    end
end
name = sprintf('sync-%d-%d-%07d-%07d-%07d', numel(pieces), total, sums);
end
