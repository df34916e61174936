% Tests the findings about model files, folders and open models.

%% A sound model has no findings
file = [tempname() '.mdl'];
gone = onCleanup(@() delete(file));
write_file(file, model_text('Scope'));
assert(isempty(grounded.validate(file)));

%% A line to a missing block is found
file = [tempname() '.mdl'];
gone = onCleanup(@() delete(file));
write_file(file, model_text('Scoop'));
findings = grounded.validate(file);
finding = findings(strcmp({findings.code}, 'GB313'));
assert(numel(finding) == 1);
assert(strcmp(finding.file, file) && strcmp(finding.class, 'wrong'));
assert(~isempty(finding.message) && ~isempty(finding.help));

%% A truncated file is a finding
file = [tempname() '.slx'];
gone = onCleanup(@() delete(file));
write_file(file, uint8([80 75 3 4 20 0 0 0]));
findings = grounded.validate(file);
assert(strcmp(findings(1).code, 'SLX101'));

%% A folder is checked with its subfolders, without files of other programs
folder = tempname();
mkdir(folder);
mkdir(fullfile(folder, 'below'));
write_file(fullfile(folder, 'good.mdl'), model_text('Scope'));
write_file(fullfile(folder, 'below', 'bad.mdl'), model_text('Scoop'));
write_file(fullfile(folder, 'quake.mdl'), uint8('IDPO'));
write_file(fullfile(folder, 'notes.txt'), 'nothing');
findings = grounded.validate(folder);
delete(fullfile(folder, 'below', '*'));
rmdir(fullfile(folder, 'below'));
delete(fullfile(folder, '*'));
rmdir(folder);
assert(strcmp(findings(1).file, fullfile(folder, 'below', 'bad.mdl')));
assert(numel(unique({findings.file})) == 1);

%% A file that is too large is skipped with a warning, and the others are checked
folder = tempname();
mkdir(folder);
write_file(fullfile(folder, 'bad.mdl'), model_text('Scoop'));
write_file(fullfile(folder, 'large.mdl'), zeros(1, 13e6 + 1, 'uint8'));
printed = evalc('findings = grounded.validate(folder);');
delete(fullfile(folder, '*'));
rmdir(folder);
[~, identifier] = lastwarn();
assert(strcmp(identifier, 'grounded:tooLarge'));
assert(strcmp(findings(1).file, fullfile(folder, 'bad.mdl')));
assert(numel(unique({findings.file})) == 1);

%% A library in the model's folder is used; if two files have its name, the link stays open
folder = tempname();
mkdir(folder);
mkdir(fullfile(folder, 'below'));
write_file(fullfile(folder, 'm.mdl'), linked_text('acme_pumps/Turbine'));
findings = grounded.validate(fullfile(folder, 'm.mdl'));
assert(strcmp(findings(1).code, 'GB206'));
write_file(fullfile(folder, 'acme_pumps.mdl'), library_text('Pump'));
findings = grounded.validate(fullfile(folder, 'm.mdl'));
assert(strcmp(findings(1).code, 'GB201'));
findings = grounded.validate(folder);
assert(strcmp(findings(1).code, 'GB201'));
write_file(fullfile(folder, 'below', 'acme_pumps.mdl'), library_text('Turbine'));
findings = grounded.validate(folder);
assert(strcmp(findings(1).code, 'GB206'));
delete(fullfile(folder, 'below', '*'));
rmdir(fullfile(folder, 'below'));
delete(fullfile(folder, '*'));
rmdir(folder);

%% A given file that is not a model is a finding
file = [tempname() '.mdl'];
gone = onCleanup(@() delete(file));
write_file(file, uint8('IDPO'));
findings = grounded.validate(file);
assert(strcmp(findings(1).code, 'GB106'));

%% A name that matches nothing is rejected
assert(strcmp(error_of(@() grounded.validate('no_such_model_anywhere')), 'grounded:validate'));
assert(strcmp(error_of(@() grounded.validate(7)), 'grounded:validate'));

%% An open model is checked with its unsaved changes and is not changed
here = grounded.internal.here();
if isempty(here.lacks)
    load_system('simulink');
    new_system('grounded_try');
    closed = onCleanup(@() close_system('grounded_try', 0));
    add_block('simulink/Sinks/Scope', 'grounded_try/Look');
    findings = grounded.validate('grounded_try');
    assert(bdIsLoaded('grounded_try') && ~bdIsLoaded('grounded_copy'));
    assert(any(strcmp({findings.path}, 'Look')));
end
