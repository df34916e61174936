function save_system(name, file)
fid = fopen(file, 'w');
fprintf(fid, 'stand-in of %s', name);
fclose(fid);
end
