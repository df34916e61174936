function out = simulink_world(what, varargin)
% Stores the open models and the catalog of the stand-ins.
persistent world
if isempty(world)
    world = struct('catalog', containers.Map(), 'blocks', containers.Map(), ...
        'models', containers.Map(), 'lines', {{}}, 'ran', {{}}, 'libraries', containers.Map());
end
switch what
    case 'get'
        out = world;
    case 'put'
        world = varargin{1};
        out = world;
end
end
