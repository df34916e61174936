function expect_simulink(name)
%GROUNDED.INTERNAL.EXPECT_SIMULINK Raise an error if Simulink is not available.
%   The error states what is missing, and which functions work without it.
here = grounded.internal.here();
if ~isempty(here.lacks)
    error('grounded:noSimulink', ['%s cannot work here: %s. grounded.find and ' ...
        'grounded.validate work; models are built by a MATLAB of R2019b or later with ' ...
        'Simulink.'], name, here.lacks);
end
end
