function [content, room] = file_content(file, room)
%GROUNDED.INTERNAL.FILE_CONTENT The bytes of a file in base64, and how many of so many are left.
%   Where the file has more, the content is empty and what is left below zero.
content = '';
facts = dir(file);
if isempty(facts)
    error('grounded:validate', 'The file %s cannot be read.', file);
end
room = room - facts(1).bytes;
if room < 0
    return
end
in = fopen(file, 'r');
if in < 0
    error('grounded:validate', 'The file %s cannot be read.', file);
end
bytes = fread(in, Inf, '*uint8');
fclose(in);
content = grounded.internal.base64(bytes);
end
