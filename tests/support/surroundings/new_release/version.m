function text = version(varargin)
% The release that this program says it is.
text = '2031b';
end
