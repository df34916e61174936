function days = now()
% Returns the time of a clock that is an hour ahead.
days = datenum(1970, 1, 1) + time() / 86400;
end
