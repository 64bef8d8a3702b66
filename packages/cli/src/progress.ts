import type { Terminal } from "./terminal.js";

/** Redrawn often enough to look alive; lines of their own are fewer, so that a log stays short. */
const REDRAW_EVERY_MS = 100;
const LINE_EVERY_MS = 1000;
const KB = 1000;
const MB = 1000 * KB;

/** How far a long work is. */
export interface Step {
  /** What is counted; bytes are shown as kB or MB. */
  readonly unit: string;
  readonly done: number;
  readonly total?: number | undefined;
  /** Which part of the work it is. */
  readonly part?: string | undefined;
}

export interface ProgressFlags {
  readonly progress?: boolean | undefined;
}

/** The option of every command that may take long. */
export const PROGRESS = [
  "--progress",
  "show progress even if standard error is not a terminal",
] as const;

const number = (value: number) => Math.floor(value).toLocaleString("en");

function inBytes(value: number, scale: number): string {
  return (value / scale).toLocaleString("en", {
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  });
}

function timeText(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (part: number) => String(part).padStart(2, "0");
  return h === 0 ? `${m}:${two(s)}` : `${h}:${two(m)}:${two(s)}`;
}

/** `12,000 of 30,000 rows (40 %), 4,000/s, 0:03` */
export function progressLine({ unit, done, total, part }: Step, ms: number): string {
  const rate = done / (Math.max(ms, 1) / 1000);
  const scale = (value: number) => (value < MB ? ([KB, "kB"] as const) : ([MB, "MB"] as const));
  const [size, name] = unit === "bytes" ? scale(total ?? done) : [1, unit];
  const write = (value: number) => (unit === "bytes" ? inBytes(value, size) : number(value));
  const [rateSize, rateName] = scale(rate);
  const speed = unit === "bytes" ? `${inBytes(rate, rateSize)} ${rateName}/s` : `${number(rate)}/s`;
  const percent = total ? ` (${Math.floor((done / total) * 100)} %)` : "";
  const of = total === undefined ? "" : ` of ${write(total)}`;
  const prefix = part === undefined ? "" : `${part}: `;
  return `${prefix}${write(done)}${of} ${name}${percent}, ${speed}, ${timeText(ms)}`;
}

class Shown {
  private readonly terminal: Terminal;
  private readonly now: () => number;
  private begun: number;
  private drawn: number;
  private last: Step | undefined;
  /** Whether the last step stands there already. */
  private isPrinted = false;

  constructor(terminal: Terminal, now: () => number) {
    this.terminal = terminal;
    this.now = now;
    this.begun = now();
    this.drawn = this.begun;
  }

  step(step: Step): void {
    // Another unit is another work, with a pace of its own.
    if (this.last !== undefined && this.last.unit !== step.unit) {
      this.end();
      this.begun = this.now();
      this.drawn = this.begun;
    }
    this.last = step;
    this.isPrinted = false;
    const every = this.terminal.redraw === undefined ? LINE_EVERY_MS : REDRAW_EVERY_MS;
    if (this.now() - this.drawn >= every) this.draw(step);
  }

  /** The last word is always said: how much it was, and how long it took. */
  end(): void {
    if (this.last === undefined) return;
    if (!this.isPrinted) this.draw(this.last);
    if (this.terminal.redraw !== undefined) this.terminal.err("");
    this.last = undefined;
  }

  private draw(step: Step): void {
    this.drawn = this.now();
    this.isPrinted = true;
    const line = progressLine(step, this.drawn - this.begun);
    if (this.terminal.redraw === undefined) this.terminal.err(line);
    else this.terminal.redraw(line);
  }
}

/** Runs a work that may take long; how far it is goes to whoever watches, and else nowhere. */
export async function withProgress<T>(
  terminal: Terminal,
  { progress }: ProgressFlags,
  work: (show: (step: Step) => void) => Promise<T>,
  now: () => number = () => performance.now(),
): Promise<T> {
  if (terminal.redraw === undefined && progress !== true) return work(() => undefined);
  const shown = new Shown(terminal, now);
  try {
    return await work((step) => shown.step(step));
  } finally {
    shown.end();
  }
}
