function simulink_opened(file)
% Reads the diagrams of a .slx file into the world; a link becomes the block of its library.
folder = tempname();
command = sprintf('"%s" -m zipfile -e "%s" "%s"', getenv('GROUNDED_PYTHON'), file, folder);
builtin('system', command);
text = fileread(fullfile(folder, 'simulink', 'blockdiagram.xml'));
confirm_recursive_rmdir(false, 'local');
rmdir(folder, 's');
world = simulink_world('get');
[~, model] = fileparts(file);
world.models(model) = true;
marks = regexp(text, ['<Block BlockType="([^"]*)" Name="([^"]*)"|<P Name="SourceBlock">([^<]*)' ...
    '|(</Block>)'], 'match');
path = {model};
for k = 1:numel(marks)
    if strcmp(marks{k}, '</Block>')
        path(end) = [];
        continue
    end
    if strncmp(marks{k}, '<P', 2)
        source = regexprep(strrep(marks{k}, '<P Name="SourceBlock">', ''), '\s+', ' ');
        if isKey(world.catalog, source)
            entry = world.catalog(source);
            entry.linked = true;
            world.blocks(strjoin(path, '/')) = struct('entry', entry, 'values', containers.Map());
        end
        continue
    end
    tokens = regexp(marks{k}, '"([^"]*)"', 'tokens');
    path{end + 1} = strrep(tokens{2}{1}, '/', '//'); %#ok<AGROW>
    entry = struct('path', '', 'type', tokens{1}{1}, 'mask', '', 'linked', false, ...
        'ports', struct(), 'parameters', containers.Map());
    world.blocks(strjoin(path, '/')) = struct('entry', entry, 'values', containers.Map());
end
simulink_world('put', world);
end
