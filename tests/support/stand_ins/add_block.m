function add_block(source, path, varargin)
% Copies a library block into a model of the stand-ins, with Simulink's errors.
pause(str2double(['0' getenv('GROUNDED_SLOW')])); % seconds that a block takes
world = simulink_world('get');
parent = simulink_parent(path);
if ~isKey(world.models, parent) && ~isKey(world.blocks, parent)
    error('Simulink:Commands:InvSimulinkObjectName', 'Invalid Simulink object name: ''%s''.', parent);
end
if isKey(world.blocks, path)
    error('Simulink:Commands:AddBlockCantAdd', 'Cannot add a block named ''%s''.', path);
end
key = regexprep(source, '\s+', ' ');
if strcmp(key, 'built-in/Note')
    return
end
if ~isKey(world.catalog, key)
    error('Simulink:Commands:AddBlockInvSrcBlock', 'There is no block named ''%s''.', source);
end
entry = world.catalog(key);
if isfield(entry, 'feature') && ~isempty(entry.feature) && ~license('test', entry.feature)
    error('MATLAB:license:checkoutFailed', ['License checkout failed.\nLicense Manager ' ...
        'Error -5\nCannot find a license for %s.'], entry.feature);
end
block = struct('entry', entry, 'values', containers.Map());
names = keys(entry.parameters);
for k = 1:numel(names)
    block.values(names{k}) = entry.parameters(names{k}).default;
end
world.blocks(path) = block;
if strcmp(entry.type, 'SubSystem') && ~entry.linked
    world.blocks([path '/In1']) = inner(world, 'simulink/Sources/In1');
    world.blocks([path '/Out1']) = inner(world, 'simulink/Sinks/Out1');
end
simulink_world('put', world);
if ~isempty(varargin)
    set_param(path, varargin{:});
end
end

function block = inner(world, source)
block = struct('entry', world.catalog(source), 'values', containers.Map());
end
