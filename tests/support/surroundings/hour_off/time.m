function seconds = time()
% A clock that is an hour ahead.
seconds = builtin('time') + 3600;
end
