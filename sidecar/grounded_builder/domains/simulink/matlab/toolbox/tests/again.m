function again(session)
%AGAIN Connect as before.
grounded.connect(session.url, session.token, 'Environment', session.environment, ...
    'Patience', session.patience, 'Timeout', session.timeout, 'Folder', session.folder);
end
