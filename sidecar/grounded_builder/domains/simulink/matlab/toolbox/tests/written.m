function written(file, text)
%WRITTEN Write a file.
out = fopen(file, 'w');
fwrite(out, text);
fclose(out);
end
