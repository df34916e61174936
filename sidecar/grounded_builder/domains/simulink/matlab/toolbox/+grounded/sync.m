function session = sync(varargin)
%GROUNDED.SYNC Send the installed blocks to the sidecar, and compile for them from now on.
%   grounded.sync() reads the libraries of the Library Browser.
%   grounded.sync('simulink', 'fl_lib', 'my_blocks') reads only these libraries.
%   session = grounded.sync(...) returns the connection with the fingerprint of the environment.
%
%   The data is sent in pieces, and each piece is repeated while nothing answers. After a longer
%   interruption, call the function again: it sends only the missing pieces. A library that does not
%   load is reported, and the others are sent. The active catalog of the sidecar does not change.
%
%   See also grounded.connect, grounded.build, grounded.work
session = grounded.connect();
names = varargin;
if ~iscellstr(names) %#ok<ISCLSTR>
    error('grounded:sync', 'Name libraries as text, or none.');
end
grounded.internal.expect_simulink('grounded.sync');
if isempty(names)
    names = list_libraries();
end
% A piece of this size passes a line of 3 kB/s before the question runs out of time.
pieces = split_lines(grounded.internal.installed(names), 100000);
upload = name_of(pieces);
next = 1;
asked = 0;
while true
    answer = grounded.ask('post', '/v1/simulink/catalog/pieces', struct('upload', upload, ...
        'number', next, 'total', numel(pieces), 'lines', pieces{next}));
    if isempty(answer.missing)
        break
    end
    asked = asked + 1;
    if answer.missing(1) == next || asked > 2 * numel(pieces) + 10
        error('grounded:sync', ['The sidecar does not keep piece %d: look into its log, and ' ...
            'whether servers of several databases answer at %s.'], next, session.url);
    end
    next = answer.missing(1);
end
session = grounded.connect(session.url, session.token, 'Environment', answer.environment, ...
    'Check', false, 'Patience', session.patience, 'Timeout', session.timeout, 'Folder', session.folder);
fprintf('The sidecar knows %d blocks of this installation.\n', answer.blocks);
end

function names = list_libraries()
% The libraries that slblocks.m files announce, as the Library Browser finds them.
names = {'simulink'};
files = which('-all', 'slblocks');
for k = 1:numel(files)
    here = cd(fileparts(files{k}));
    try
        announced = slblocks();
        names = [names, {announced.Browser.Library}]; %#ok<AGROW>
    catch
        % A file of a product that is broken or has another form announces nothing.
    end
    cd(here);
    clear('slblocks');
end
names = unique(names);
end

function pieces = split_lines(lines, most)
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
