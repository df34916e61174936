function identifier = error_of(action)
%ERROR_OF Return the identifier of the error that an action raises; '' if it raises none.
identifier = '';
try
    action();
catch cause
    identifier = cause.identifier;
end
end
