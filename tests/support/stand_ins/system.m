function varargout = system(varargin)
% Records a command that reached the shell, which fails the test.
fid = fopen(getenv("GROUNDED_RAN"), "a");
fprintf(fid, "system\n");
fclose(fid);
varargout = cell(1, nargout);
end
