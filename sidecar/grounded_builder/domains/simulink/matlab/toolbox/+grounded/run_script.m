function report = run_script(script, file, options, beat)
%GROUNDED.RUN_SCRIPT Run a build script of the sidecar and return its report; never raises an error.
%   report = grounded.run_script(job.script, job.file, options) runs the script with the options
%   in a struct: Layout, File, Overwrite, Simulate.
%   report = grounded.run_script(script, file, options, beat) calls the function beat, without
%   arguments, during the build; an error in it ends the build.
%
%   See also grounded.work
try
    folder = tempname();
    mkdir(folder);
    [~, name] = fileparts(file);
    cleared = onCleanup(@() clear_away(folder, name)); %#ok<NASGU>
    out = fopen(fullfile(folder, [name '.m']), 'w');
    fwrite(out, script, 'char');
    fclose(out);
    addpath(folder);
    rehash();
    given = {};
    if isstruct(options)
        names = fieldnames(options);
        for k = 1:numel(names)
            given = [given, names(k), {options.(names{k})}]; %#ok<AGROW>
        end
    end
    if nargin > 3
        given = [given, {'Beat', beat}];
    end
    report = feval(name, given{:});
catch cause
    report = struct('ok', false, 'model', '', 'blocks', [], 'differences', [], ...
        'errors', struct('identifier', cause.identifier, 'message', cause.message, ...
        'block', '', 'about', ''));
end
end

function clear_away(folder, name)
% The script is gone after it ran, also when it was interrupted.
rmpath(folder);
clear(name);
delete(fullfile(folder, '*.m'));
rmdir(folder);
end
