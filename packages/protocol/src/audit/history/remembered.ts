/** What was read, by its name, as far back as fits: the oldest is dropped first. */
export class Remembered<T> {
  private readonly entries = new Map<string, T>();
  private readonly max: number;
  private readonly onDropped: (value: T) => void;
  /** How many were forgotten. */
  forgotten = 0;

  constructor(max: number, onDropped: (value: T) => void = () => {}) {
    this.max = max;
    this.onDropped = onDropped;
  }

  get(name: string): T | undefined {
    return this.entries.get(name);
  }

  delete(name: string): void {
    this.entries.delete(name);
  }

  set(name: string, value: T): void {
    this.entries.set(name, value);
    if (this.entries.size <= this.max) return;
    const [[oldest, lost]] = this.entries as unknown as [[string, T]];
    this.entries.delete(oldest);
    this.forgotten++;
    this.onDropped(lost);
  }
}
