function found = find_system(varargin)
found = [];
end
