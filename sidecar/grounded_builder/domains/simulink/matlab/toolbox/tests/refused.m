function identifier = refused(action)
%REFUSED The identifier of the error that an action ends with; '' where it has none.
identifier = '';
try
    action();
catch cause
    identifier = cause.identifier;
end
end
