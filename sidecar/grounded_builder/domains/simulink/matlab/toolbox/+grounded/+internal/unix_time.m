function seconds = unix_time()
%GROUNDED.INTERNAL.UNIX_TIME Return the time of this computer in seconds since 1970.
if exist('OCTAVE_VERSION', 'builtin')
    seconds = time();
else
    % By its name: Octave has no such class.
    seconds = posixtime(feval('datetime', 'now', 'TimeZone', 'UTC'));
end
end
