function parts = clock()
% Returns the time of a clock that is an hour ahead.
parts = datevec(now());
end
