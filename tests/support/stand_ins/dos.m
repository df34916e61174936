function varargout = dos(varargin)
% A command reached the shell: the test that looks at this fails.
fid = fopen(getenv("GROUNDED_RAN"), "a");
fprintf(fid, "dos\n");
fclose(fid);
varargout = cell(1, nargout);
end
