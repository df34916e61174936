function left = send_kept()
%GROUNDED.INTERNAL.SEND_KEPT Send the stored reports to this sidecar; return how many remain.
%   A report that arrives twice counts once. If the sidecar rejects a report, because the job went
%   to another worker or has ended, the function prints this and deletes the report.
session = grounded.connect();
files = dir(fullfile(session.folder, '*.report'));
left = 0;
for k = 1:numel(files)
    file = fullfile(session.folder, files(k).name);
    in = fopen(file, 'r');
    if in < 0
        continue % another worker of this machine has sent it
    end
    text = native2unicode(fread(in, Inf, '*uint8')', 'UTF-8');
    fclose(in);
    lines = strsplit(text, sprintf('\n'));
    if numel(lines) ~= 4 || ~strcmp(lines{4}, 'end') || ~strcmp(lines{1}, session.url)
        continue % another worker is writing it, or it is for another sidecar
    end
    try
        grounded.ask('post', ['/v1/simulink/jobs/' lines{2} '/result'], lines{3});
    catch cause
        if any(strcmp(cause.identifier, {'grounded:unauthorized', 'grounded:forbidden'}))
            rethrow(cause);
        end
        if any(strcmp(cause.identifier, {'grounded:unreachable', 'grounded:answer', ...
                'grounded:internal', 'grounded:too_slow'}))
            left = left + 1;
            fprintf('The report on job %s is kept in %s: %s\n', lines{2}, file, cause.message);
            continue
        end
        fprintf('The report on job %s is not taken: %s\n', lines{2}, cause.message);
    end
    if exist(file, 'file')
        delete(file);
    end
end
end
