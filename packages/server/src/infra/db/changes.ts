/** Something a cache may hold has changed. Topic `*` means: anything may have. */
export interface Change {
  readonly topic: string;
  readonly id: string;
}

export const ANY_CHANGE: Change = { topic: "*", id: "*" };

/**
 * News of committed changes. The process that commits hears of its own changes before its
 * transaction returns; other processes within a second.
 */
export class ChangeFeed {
  private readonly listeners = new Set<(change: Change) => void>();
  /** False while news from other processes cannot arrive: caches must then ask the database. */
  live = true;

  subscribe(listener: (change: Change) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  emit(change: Change): void {
    for (const listener of this.listeners) listener(change);
  }
}
