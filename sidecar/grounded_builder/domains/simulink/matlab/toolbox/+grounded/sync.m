function session = sync(varargin)
%GROUNDED.SYNC Tell the sidecar what is installed here, and compile for it from now on.
%   grounded.sync() walks the libraries of the Library Browser.
%   grounded.sync('simulink', 'fl_lib', 'my_blocks') walks these libraries alone.
%   session = grounded.sync(...) gives the connection, with the fingerprint of the environment.
%
%   What is told goes out in pieces. When the line breaks, call it again: only the pieces that
%   did not arrive are sent. The catalog that is active in the sidecar stays active.
%
%   See also grounded.connect, grounded.work
session = grounded.connect();
names = varargin;
if isempty(names)
    names = browsed();
end
lines = installed(names);
pieces = cut(lines, 400000);
upload = name_of(pieces);
next = 1;
while true
    told = grounded.ask('post', '/v1/simulink/catalog/pieces', struct('upload', upload, ...
        'number', next, 'total', numel(pieces), 'lines', pieces{next}));
    if isempty(told.missing)
        break
    end
    if told.missing(1) == next
        error('grounded:sync', 'The sidecar does not keep piece %d; look into its log.', next);
    end
    next = told.missing(1);
end
fprintf('%d blocks are known of this installation.\n', told.blocks);
session = grounded.connect(session.url, session.token, 'Environment', told.environment);
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

function lines = installed(names)
% A line for the installation, one for each block, one for each BlockType, and an end.
libraries = cell(1, numel(names));
blocks = {};
for k = 1:numel(names)
    libraries{k} = struct('name', names{k}, 'error', '');
    try
        load_system(names{k});
        blocks = [blocks, walked(names{k})]; %#ok<AGROW>
    catch cause
        libraries{k}.error = cause.message;
        fprintf('The library %s does not load: %s\n', names{k}, cause.message);
    end
end
lines = cell(1, numel(blocks));
types = {};
for k = 1:numel(blocks)
    block = described(blocks{k});
    types{end + 1} = block.block_type; %#ok<AGROW>
    lines{k} = jsonencode(block);
end
[products, licences] = licensed();
first = struct('kind', 'installation', 'release', release(), 'products', {products}, ...
    'licences', {licences}, 'libraries', {libraries});
last = struct('kind', 'end', 'blocks', numel(blocks));
lines = [{jsonencode(first)}, lines, of_types(unique(types)), {jsonencode(last)}];
end

function text = release()
text = version('-release');
if isempty(text)
    text = version();
end
end

function [products, licences] = licensed()
% The products, and the features of their names that a licence is held for.
found = ver();
products = cell(1, numel(found));
licences = {};
for k = 1:numel(found)
    products{k} = struct('name', found(k).Name, 'version', found(k).Version);
    try
        feature = strrep(found(k).Name, ' ', '_');
        if license('test', feature)
            licences{end + 1} = feature; %#ok<AGROW>
        end
    catch
        % A feature that goes by another name is not known to be held.
    end
end
end

function blocks = walked(system)
% The blocks under a library; a subsystem without ports and mask is a shelf of others.
blocks = {};
inside = find_system(system, 'SearchDepth', 1, 'LookUnderMasks', 'all', 'FollowLinks', 'on', ...
    'Type', 'Block');
for k = 1:numel(inside)
    path = inside{k};
    if strcmp(path, system)
        continue
    end
    if strcmp(get_param(path, 'BlockType'), 'SubSystem') && ~any(get_param(path, 'Ports')) ...
            && isempty(get_param(path, 'MaskType')) ...
            && isempty(get_param(path, 'DialogParameters'))
        blocks = [blocks, walked(path)]; %#ok<AGROW>
    else
        blocks{end + 1} = path; %#ok<AGROW>
    end
end
end

function block = described(path)
% What there is to know of one block.
type = get_param(path, 'BlockType');
parameters = {};
dialog = get_param(path, 'DialogParameters');
if isstruct(dialog)
    names = fieldnames(dialog);
    for k = 1:numel(names)
        parameters{end + 1} = parameter(path, names{k}, dialog.(names{k})); %#ok<AGROW>
    end
end
inside = {};
if strcmp(type, 'SubSystem')
    inside = made_of(path);
end
block = struct('kind', 'block', 'path', path, 'block_type', type, ...
    'mask_type', get_param(path, 'MaskType'), ...
    'ports', {num2cell(get_param(path, 'Ports'))}, 'parameters', {parameters}, ...
    'inside', {inside});
end

function one = parameter(path, name, told)
% One dialog parameter: its type, its options, its value in the library.
one = struct('name', name, 'type', '', 'options', {{}}, 'default', '', 'evaluated', true);
if isfield(told, 'Type') && ischar(told.Type)
    one.type = told.Type;
end
if isfield(told, 'Enum') && iscell(told.Enum)
    one.options = reshape(told.Enum, 1, []);
end
if isfield(told, 'Attributes')
    one.evaluated = ~any(strcmp(told.Attributes, 'dont-eval'));
end
try
    value = get_param(path, name);
    if ischar(value)
        one.default = value;
    end
catch
    % Some parameters cannot be read while a library is closed to changes.
end
end

function parts = made_of(path)
% The library blocks and BlockTypes that a subsystem holds, one level deep.
parts = {};
inside = find_system(path, 'SearchDepth', 1, 'LookUnderMasks', 'all', 'FollowLinks', 'on', ...
    'Type', 'Block');
for k = 1:numel(inside)
    if strcmp(inside{k}, path)
        continue
    end
    source = get_param(inside{k}, 'ReferenceBlock');
    if isempty(source)
        source = ['built-in/' get_param(inside{k}, 'BlockType')];
    end
    parts{end + 1} = source; %#ok<AGROW>
end
parts = unique(parts);
end

function lines = of_types(types)
% For each BlockType what a file means that leaves a parameter out: the built-in defaults.
lines = {};
model = 'grounded_types';
while bdIsLoaded(model)
    model = [model '_']; %#ok<AGROW>
end
new_system(model);
for k = 1:numel(types)
    path = sprintf('%s/b%d', model, k);
    try
        add_block(['built-in/' types{k}], path);
        dialog = fieldnames(get_param(path, 'DialogParameters'));
    catch
        continue % not every type can stand alone
    end
    parameters = {};
    for p = 1:numel(dialog)
        value = get_param(path, dialog{p});
        if ischar(value)
            parameters{end + 1} = struct('name', dialog{p}, 'default', value); %#ok<AGROW>
        end
    end
    lines{end + 1} = jsonencode(struct('kind', 'type', 'block_type', types{k}, ...
        'parameters', {parameters})); %#ok<AGROW>
end
close_system(model, 0);
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
text = double([pieces{:}]);
at = 1:numel(text);
sums = [0 0 0];
moduli = [1048573 1048571 1048559];
for k = 1:3
    sums(k) = mod(sum(mod((text + 1) .* mod(at .^ 2 * k + at, moduli(k)), moduli(k))), 2 ^ 40);
end
name = sprintf('sync-%d-%010.0f-%010.0f-%010.0f', numel(text), sums);
end
