-- n8n has a database of its own beside that of the sidecars.
CREATE DATABASE n8n;
