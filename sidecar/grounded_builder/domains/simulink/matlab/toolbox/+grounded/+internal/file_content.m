function [content, room] = file_content(file, room)
%GROUNDED.INTERNAL.FILE_CONTENT Read a file as base64, and return how many of the permitted bytes remain.
%   For a longer file the content is empty and the number of remaining bytes is negative.
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
