function is = simulink_parses(value)
% Checks whether a value is an expression by evaluating it as Simulink does, so hidden code runs.
is = true;
try
    eval(['standin_value_ = {' value '};']);
catch cause
    is = isempty(strfind(cause.message, 'parse error')); %#ok<STREMP>
end
end
