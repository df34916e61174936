function failed = grounded_tests()
%GROUNDED_TESTS Run the tests of this toolbox against the connected sidecar.
%   grounded.connect(url, token)
%   grounded_tests() prints a line for each test, and raises an error if a test fails.
%   failed = grounded_tests() returns the number of failed tests.
%
%   The files also run with `runtests` of MATLAB, which GNU Octave does not have. Without Simulink,
%   the tests check that the functions report its absence.
%
%   See also grounded.connect
folder = fileparts(mfilename('fullpath'));
files = dir(fullfile(folder, 'test_*.m'));
count = 0;
failed = 0;
for k = 1:numel(files)
    text = strrep(fileread(fullfile(folder, files(k).name)), sprintf('\r'), '');
    parts = strsplit(text, sprintf('\n%%%% '));
    for p = 2:numel(parts)
        lines = strsplit(parts{p}, sprintf('\n'));
        problem = problem_of(strjoin(lines(2:end), sprintf('\n')));
        count = count + 1;
        if isempty(problem)
            fprintf('ok      %s: %s\n', files(k).name(1:end - 2), lines{1});
        else
            failed = failed + 1;
            fprintf('FAILED  %s: %s: %s\n', files(k).name(1:end - 2), lines{1}, problem);
        end
    end
end
fprintf('%d tests, %d failed.\n', count, failed);
if nargout == 0
    if failed > 0
        error('grounded:tests', '%d of %d tests failed.', failed, count);
    end
    clear failed
end
end

function problem_ = problem_of(code_)
% Return the error message of the lines of a test; '' if they raise no error.
problem_ = '';
try
    eval(code_);
catch cause_
    problem_ = cause_.message;
end
end
