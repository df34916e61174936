function file = library_file(name, around)
%GROUNDED.INTERNAL.LIBRARY_FILE Find the file of a library among given files and on the path.
%   The result is '' if there is no such file, or several. Of an .slx and an .mdl file in one folder
%   the .slx file is returned, which is the one that Simulink loads.
files = {};
for ending = {'.mdl', '.slx'}
    for k = 1:numel(around)
        [~, stem, own] = fileparts(around{k});
        if strcmp(stem, name) && strcmpi(own, ending{1})
            files{end + 1} = around{k}; %#ok<AGROW>
        end
    end
    seen = which([name ending{1}]);
    if ~isempty(seen) && isfile(seen)
        files{end + 1} = seen; %#ok<AGROW>
    end
end
file = '';
folders = cell(1, numel(files));
for k = 1:numel(files)
    folders{k} = whole(fileparts(files{k}));
end
if numel(unique(folders)) == 1
    file = files{end};
end
end

function folder = whole(folder)
% The folder as the system calls it.
if isempty(folder)
    folder = pwd();
end
[exists, facts] = fileattrib(folder);
if exists
    folder = facts(1).Name;
end
end
