// What an error says, cut.

export function short(error) {
  return String(error?.message ?? error).slice(0, 200);
}
