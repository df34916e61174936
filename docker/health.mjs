// Exits 0 when the address argv[2] answers with the status argv[3].
const [, , url, status] = process.argv;
const answer = await fetch(url, { signal: AbortSignal.timeout(4000) }).catch(() => undefined);
process.exit(answer?.status === Number(status) ? 0 : 1);
