function lines = installed(names)
%GROUNDED.INTERNAL.INSTALLED Return the contents of libraries as lines of JSON.
%   There is a line for the installation, one for each block and each BlockType, and an end line. A
%   library that does not load is reported with its error.
libraries = cell(1, numel(names));
blocks = {};
for k = 1:numel(names)
    libraries{k} = struct('name', names{k}, 'error', '');
    try
        load_system(names{k});
        blocks = [blocks, list_blocks(names{k})]; %#ok<AGROW>
    catch cause
        libraries{k}.error = cause.message;
        fprintf('The library %s does not load: %s\n', names{k}, cause.message);
    end
end
lines = {};
types = {};
for k = 1:numel(blocks)
    try
        block = describe_block(blocks{k});
        lines{end + 1} = jsonencode(block); %#ok<AGROW>
        types{end + 1} = block.block_type; %#ok<AGROW>
    catch cause
        fprintf('The block %s cannot be read: %s\n', blocks{k}, cause.message);
    end
end
[products, licences] = list_products();
first = struct('kind', 'installation', 'release', release(), 'products', {products}, ...
    'licences', {licences}, 'libraries', {libraries});
last = struct('kind', 'end', 'blocks', numel(lines));
lines = [{jsonencode(first)}, lines, of_types(unique(types)), {jsonencode(last)}];
end

function text = release()
text = version('-release');
if isempty(text)
    text = version();
end
end

function [products, licences] = list_products()
% The products, and the features of their names that a licence is held for.
versions = ver();
products = cell(1, numel(versions));
licences = {};
for k = 1:numel(versions)
    products{k} = struct('name', versions(k).Name, 'version', versions(k).Version);
    try
        feature = strrep(versions(k).Name, ' ', '_');
        if license('test', feature)
            licences{end + 1} = feature; %#ok<AGROW>
        end
    catch
        % A feature that goes by another name is not known to be held.
    end
end
end

function blocks = list_blocks(system)
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
        blocks = [blocks, list_blocks(path)]; %#ok<AGROW>
    else
        blocks{end + 1} = path; %#ok<AGROW>
    end
end
end

function block = describe_block(path)
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
    inside = list_contents(path);
end
block = struct('kind', 'block', 'path', path, 'block_type', type, ...
    'mask_type', get_param(path, 'MaskType'), ...
    'ports', {num2cell(get_param(path, 'Ports'))}, 'parameters', {parameters}, ...
    'inside', {inside});
end

function entry = parameter(path, name, dialog)
% One dialog parameter: its type, its options, its value in the library.
entry = struct('name', name, 'type', '', 'options', {{}}, 'default', '', 'evaluated', true);
if isfield(dialog, 'Type') && ischar(dialog.Type)
    entry.type = dialog.Type;
end
if isfield(dialog, 'Enum') && iscell(dialog.Enum)
    entry.options = reshape(dialog.Enum, 1, []);
end
if isfield(dialog, 'Attributes')
    entry.evaluated = ~any(strcmp(dialog.Attributes, 'dont-eval'));
end
try
    value = get_param(path, name);
    if ischar(value)
        entry.default = value;
    end
catch
    % Some parameters cannot be read while a library is closed to changes.
end
end

function parts = list_contents(path)
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
