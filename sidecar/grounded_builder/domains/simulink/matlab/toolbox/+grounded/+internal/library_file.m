function file = library_file(name, around)
%GROUNDED.INTERNAL.LIBRARY_FILE The file of a library among some files and on the path; '' where none is, or several.
%   Of an .slx and an .mdl in one folder it is the .slx, as Simulink loads it.
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
[found, facts] = fileattrib(folder);
if found
    folder = facts(1).Name;
end
end
