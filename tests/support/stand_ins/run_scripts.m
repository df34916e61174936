function run_scripts(catalog, listed, answers)
% Runs every script of a list alone, and writes the report of each.
simulink_catalog(catalog);
files = jsondecode(fileread(listed));
results = {};
for k = 1:numel(files)
    [folder, name] = fileparts(files{k});
    addpath(folder);
    try
        report = feval(name);
    catch cause
        report = struct('ok', false, 'escaped', [cause.identifier ': ' cause.message]);
    end
    world = simulink_world('get');
    report.left = keys(world.models);
    for m = 1:numel(report.left)
        close_system(report.left{m}, 0);
    end
    results{end + 1} = report; %#ok<AGROW>
    rmpath(folder);
    clear(name);
end
fid = fopen(answers, 'w');
fwrite(fid, jsonencode(results));
fclose(fid);
end
