% Tests that requests and plans become models, and that failures state the reason.

%% A request becomes a model, or the error names what is missing
here = grounded.internal.here();
if isempty(here.lacks)
    report = grounded.build('connect a sine wave to a scope');
    closed = onCleanup(@() close_system(report.model, 0));
    assert(report.ok && numel(report.blocks) == 2);
else
    assert(strcmp(error_of(@() grounded.build('connect a sine wave to a scope')), ...
        'grounded:noSimulink'));
end

%% The native file of a job opens, or the error names what is missing
here = grounded.internal.here();
if isempty(here.lacks)
    report = grounded.build('connect a sine wave to a scope');
    closed = onCleanup(@() close_system(report.model, 0));
    opened = grounded.open(report);
    gone = onCleanup(@() delete(opened.file));
    close_system(opened.model, 0);
    assert(opened.opened);
else
    assert(strcmp(error_of(@() grounded.open('01ARZ3NDEKTSV4RRFFQ69G5FAV')), ...
        'grounded:noSimulink'));
end

%% A plan of one step becomes a model
here = grounded.internal.here();
if isempty(here.lacks)
    plan = struct('goal', 'alone', 'steps', struct('id', 'a', 'tool', 'simulink/Sources/Sine Wave'));
    report = grounded.build(plan);
    closed = onCleanup(@() close_system(report.model, 0));
    assert(report.ok && numel(report.blocks) == 1);
end

%% A value that is neither a request nor a plan is rejected
here = grounded.internal.here();
if isempty(here.lacks)
    assert(strcmp(error_of(@() grounded.build(7)), 'grounded:build'));
    assert(strcmp(error_of(@() grounded.build(struct('goal', 'x'))), 'grounded:build'));
end

%% A model that cannot be built is an error with the reason
here = grounded.internal.here();
if isempty(here.lacks)
    plan = struct('goal', 'x', 'steps', struct('id', 'a', 'tool', 'Foo9000'));
    assert(strcmp(error_of(@() grounded.build(plan)), 'grounded:notBuilt'));
end

%% A misspelled option is rejected
assert(strcmp(error_of(@() grounded.build('x', 'Simulat', 1)), 'grounded:build'));
assert(strcmp(error_of(@() grounded.work('Onse', true)), 'grounded:work'));

%% Taking a job that does not exist builds nothing
here = grounded.internal.here();
if isempty(here.lacks)
    assert(isempty(grounded.work('Once', true, 'Job', '01ARZ3NDEKTSV4RRFFQ69G5FAV')));
else
    assert(strcmp(error_of(@() grounded.work('Once', true)), 'grounded:noSimulink'));
end

%% A library name that is not text is rejected
assert(strcmp(error_of(@() grounded.sync(7)), 'grounded:sync'));

%% A script that fails returns a report
report = grounded.run_script(sprintf('function report = broken()\nerror(''a:b'', ''c'');\nend\n'), ...
    'broken.m', struct());
assert(~report.ok && strcmp(report.errors.identifier, 'a:b'));

%% A call without a request names what is missing
assert(strcmp(error_of(@() grounded.build()), 'grounded:build'));
