function is = simulink_parses(value)
% Whether a value is an expression; it is evaluated, as Simulink does: code that hides in it runs.
is = true;
try
    eval(['standin_value_ = {' value '};']);
catch cause
    is = isempty(strfind(cause.message, 'parse error')); %#ok<STREMP>
end
end
