function keep(job, report)
%GROUNDED.INTERNAL.KEEP Store the report of a build in a file until the sidecar has received it.
%   The lines are the address of the sidecar, the id of the job, the report, and "end", which marks
%   the file as complete. A report that is too long is stored without its list of blocks.
session = grounded.connect();
if ~isfolder(session.folder)
    mkdir(session.folder);
end
try
    text = jsonencode(struct('lease', job.lease, 'report', report));
catch cause
    report = struct('ok', false, 'model', '', 'blocks', [], 'differences', [], 'errors', ...
        struct('identifier', 'grounded:report', 'message', cause.message, 'block', '', ...
        'about', ''));
    text = jsonencode(struct('lease', job.lease, 'report', report));
end
if numel(text) > 2.5e6
    report.blocks = [];
    text = jsonencode(struct('lease', job.lease, 'report', report));
end
lines = {session.url, job.id, text, 'end'};
out = fopen(fullfile(session.folder, [job.id '-' job.lease '.report']), 'w');
if out < 0
    error('grounded:folder', 'Nothing can be written to %s; name another ''Folder''.', ...
        session.folder);
end
fwrite(out, unicode2native(strjoin(lines, sprintf('\n')), 'UTF-8'), 'uint8');
fclose(out);
end
