function save_system(name, file)
% Writes the blocks of the top diagram, in the oldest format of a model file.
world = simulink_world('get');
fid = fopen(file, 'w');
fprintf(fid, 'Model {\n  Name "%s"\n  System {\n    Name "%s"\n', name, name);
paths = keys(world.blocks);
for k = 1:numel(paths)
    if strcmp(simulink_parent(paths{k}), name)
        fprintf(fid, '    Block {\n      BlockType %s\n      Name "%s"\n    }\n', ...
            world.blocks(paths{k}).entry.type, paths{k}(numel(name) + 2:end));
    end
end
fprintf(fid, '  }\n}\n');
fclose(fid);
end
