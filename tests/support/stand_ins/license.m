function is = license(what, feature)
% A licence is held for Simulink; one that an environment variable names is not.
is = strcmp(what, 'test') && ~strcmp(feature, getenv('GROUNDED_UNLICENSED'));
end
