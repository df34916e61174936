function program = here()
%GROUNDED.INTERNAL.HERE Return the name and release of this program, and what it lacks.
%   program.lacks is '' if models can be built here, and a sentence with the reason otherwise.
program = struct('name', 'MATLAB', 'release', version('-release'), 'lacks', '');
if isempty(program.release)
    program.name = 'GNU Octave';
    program.release = version();
    if sscanf(program.release, '%d', 1) < 7
        program.lacks = sprintf('GNU Octave %s is older than 7', program.release);
    end
else
    year = sscanf(program.release, '%d', 1);
    if year < 2019 || (year == 2019 && program.release(end) < 'b')
        program.lacks = sprintf('MATLAB R%s is older than R2019b', program.release);
    end
end
if isempty(program.lacks) && ~exist('new_system')
    program.lacks = sprintf('this %s has no Simulink', program.name);
elseif isempty(program.lacks) && ~license('test', 'SIMULINK')
    program.lacks = sprintf('this %s has no licence for Simulink', program.name);
end
end
