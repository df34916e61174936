function parts = clock()
% A clock that is an hour ahead.
parts = datevec(now());
end
