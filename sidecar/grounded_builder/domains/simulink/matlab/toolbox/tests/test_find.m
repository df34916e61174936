% Tests the search for blocks by their purpose.

%% A purpose finds blocks
answer = grounded.find('sine wave');
assert(~isempty(answer.tools));
assert(numel(answer.catalog) == 64);

%% Without an output argument, one line is printed for each block
shown = evalc('grounded.find(''sine wave'')');
assert(~isempty(regexp(shown, '^simulink/Sources/Sine Wave: ', 'once', 'lineanchors')));

%% Letters beyond ASCII are sent unchanged
answer = grounded.find(native2unicode(uint8([71 114 195 182 195 159 101]), 'UTF-8'));
assert(numel(answer.catalog) == 64);

%% A purpose that is not text is rejected
assert(strcmp(error_of(@() grounded.find(7)), 'grounded:find'));
