function found = find(words)
%GROUNDED.FIND Blocks for a purpose, as the catalog of the environment has them.
%   grounded.find('low pass filter') prints their paths, each with what it is for.
%   found = grounded.find(...) gives them as found.tools instead.
%
%   It needs no Simulink. Without an environment it is the catalog that the sidecar uses.
%
%   See also grounded.build, grounded.sync
if nargin < 1 || ~ischar(words)
    error('grounded:find', 'Say in words what the block is for.');
end
session = grounded.connect();
path = ['/v1/simulink/find?q=' escaped(words) '&catalog=' session.environment];
found = grounded.ask('get', path);
if nargout == 0
    show(found.tools);
    clear found
end
end

function show(tools)
% For a person: a line for each block.
if isstruct(tools)
    tools = num2cell(tools);
end
for k = 1:numel(tools)
    fprintf('%s: %s\n', tools{k}.tool, tools{k}.what);
end
if isempty(tools)
    fprintf('Nothing is known for that.\n');
end
end

function text = escaped(text)
% Only letters and digits stay as they are.
bytes = unicode2native(text, 'UTF-8');
parts = cell(1, numel(bytes));
for k = 1:numel(bytes)
    if any(char(bytes(k)) == ['a':'z' 'A':'Z' '0':'9'])
        parts{k} = char(bytes(k));
    else
        parts{k} = sprintf('%%%02X', bytes(k));
    end
end
text = [parts{:}];
end
