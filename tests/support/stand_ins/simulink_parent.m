function parent = simulink_parent(path)
% Returns the parent of a path; a doubled slash is part of a name.
bare = strrep(path, '//', char([1 1]));
at = find(bare == '/', 1, 'last');
parent = path(1:at - 1);
end
