function answer = find(words)
%GROUNDED.FIND Find blocks for a purpose in the catalog of the environment.
%   grounded.find('low pass filter') prints the paths of matching blocks with a description.
%   answer = grounded.find(...) returns the blocks in answer.tools instead of printing them.
%
%   The function does not need Simulink. Without an environment, it uses the active catalog of the
%   sidecar.
%
%   See also grounded.build, grounded.sync
if nargin < 1 || ~ischar(words)
    error('grounded:find', 'Describe the purpose of the block as text.');
end
session = grounded.connect();
path = ['/v1/simulink/find?q=' escape(words) '&catalog=' session.environment];
answer = grounded.ask('get', path);
if nargout == 0
    show(answer.tools);
    clear answer
end
end

function show(tools)
% Print one line for each block.
if isstruct(tools)
    tools = num2cell(tools);
end
for k = 1:numel(tools)
    fprintf('%s: %s\n', tools{k}.tool, tools{k}.what);
end
if isempty(tools)
    fprintf('No block matches these words.\n');
end
end

function text = escape(text)
% Percent-encode all characters except letters and digits.
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
