function text = version(varargin)
% Returns a new release.
text = '2031b';
end
