/** A failure that the person who runs the sync can act on. */
export class SyncError extends Error {
  /**
   * @param {string} message what is the case
   * @param {string} help what to do
   */
  constructor(message, help) {
    super(message);
    this.name = 'SyncError';
    this.help = help;
  }
}
