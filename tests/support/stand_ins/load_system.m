function load_system(name)
world = simulink_world('get');
if ~isKey(world.libraries, name) && ~isKey(world.models, name)
    error('Simulink:Commands:OpenSystemUnknownSystem', ...
        'There is no system named ''%s'' to open.', name);
end
end
