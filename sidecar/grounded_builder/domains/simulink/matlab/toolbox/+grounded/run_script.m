function report = run_script(script, file, options)
%GROUNDED.RUN_SCRIPT Run a build script that the sidecar made; whatever happens is a report.
folder = tempname();
mkdir(folder);
[~, name] = fileparts(file);
out = fopen(fullfile(folder, file), 'w');
fwrite(out, script, 'char');
fclose(out);
addpath(folder);
try
    rehash();
    given = {};
    if isstruct(options)
        names = fieldnames(options);
        for k = 1:numel(names)
            given = [given, names(k), {options.(names{k})}]; %#ok<AGROW>
        end
    end
    report = feval(name, given{:});
catch cause
    report = struct('ok', false, 'model', '', 'blocks', [], 'differences', [], ...
        'errors', struct('identifier', cause.identifier, 'message', cause.message, ...
        'block', '', 'about', ''));
end
rmpath(folder);
clear(name);
delete(fullfile(folder, file));
rmdir(folder);
end
