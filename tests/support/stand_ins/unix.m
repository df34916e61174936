function varargout = unix(varargin)
% A command reached the shell: the test that looks at this fails.
fid = fopen(getenv("GROUNDED_RAN"), "a");
fprintf(fid, "unix\n");
fclose(fid);
varargout = cell(1, nargout);
end
