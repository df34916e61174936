function seconds = time()
% Returns the time of a clock that is an hour ahead.
seconds = builtin('time') + 3600;
end
