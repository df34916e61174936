// Shortens the message of an error.

export function short(error) {
  return String(error?.message ?? error).slice(0, 200);
}
