function write_file(file, text)
%WRITE_FILE Write a file.
out = fopen(file, 'w');
fwrite(out, text);
fclose(out);
end
