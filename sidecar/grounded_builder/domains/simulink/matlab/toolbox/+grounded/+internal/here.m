function found = here()
%GROUNDED.INTERNAL.HERE The program that runs this: its name, its release, what it lacks.
%   found.lacks is '' where models can be built here, else a sentence that says why not.
found = struct('name', 'MATLAB', 'release', version('-release'), 'lacks', '');
if isempty(found.release)
    found.name = 'GNU Octave';
    found.release = version();
    if sscanf(found.release, '%d', 1) < 7
        found.lacks = sprintf('GNU Octave %s is older than 7', found.release);
    end
else
    year = sscanf(found.release, '%d', 1);
    if year < 2019 || (year == 2019 && found.release(end) < 'b')
        found.lacks = sprintf('MATLAB R%s is older than R2019b', found.release);
    end
end
if isempty(found.lacks) && ~exist('new_system')
    found.lacks = sprintf('this %s has no Simulink', found.name);
elseif isempty(found.lacks) && ~license('test', 'SIMULINK')
    found.lacks = sprintf('this %s has no licence for Simulink', found.name);
end
end
