function load_system(name)
% Opens a file, or checks that a library exists.
world = simulink_world('get');
if numel(name) > 4 && strcmp(name(end - 3:end), '.slx')
    simulink_opened(name);
elseif ~isKey(world.libraries, name) && ~isKey(world.models, name)
    error('Simulink:Commands:OpenSystemUnknownSystem', ...
        'There is no system named ''%s'' to open.', name);
end
end
