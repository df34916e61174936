function text = version(varargin)
% Returns an old release.
text = '2018a';
end
