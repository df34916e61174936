function expect_simulink(name)
%GROUNDED.INTERNAL.EXPECT_SIMULINK An error where a function cannot work that needs Simulink.
%   It says what is lacking, and which functions work all the same.
here = grounded.internal.here();
if ~isempty(here.lacks)
    error('grounded:noSimulink', ['%s cannot work here: %s. grounded.find and ' ...
        'grounded.validate work; models are built by a MATLAB of R2019b or later with ' ...
        'Simulink.'], name, here.lacks);
end
end
