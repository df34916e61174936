function seconds = toc(varargin)
% Returns the elapsed time of a clock that was set back by an hour meanwhile.
seconds = builtin('toc', varargin{:}) - 3600;
end
