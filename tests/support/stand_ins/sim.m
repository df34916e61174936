function out = sim(~, varargin)
log = struct('numElements', 0);
out = struct('get', @(name) log);
end
