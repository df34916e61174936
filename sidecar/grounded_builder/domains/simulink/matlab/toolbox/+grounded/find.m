function found = find(words)
%GROUNDED.FIND Blocks for a purpose, as the catalog of the environment has them.
%   found = grounded.find('low pass filter')
%
%   See also grounded.build
found = grounded.ask('get', ['/v1/simulink/find?q=' escaped(words)]);
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
