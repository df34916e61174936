function varargout = system(varargin)
% A command reached the shell: the test that looks at this fails.
fid = fopen(getenv("GROUNDED_RAN"), "a");
fprintf(fid, "system\n");
fclose(fid);
varargout = cell(1, nargout);
end
