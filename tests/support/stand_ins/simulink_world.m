function out = simulink_world(what, varargin)
% The models that the stand-ins hold, and the catalog that they answer from.
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
