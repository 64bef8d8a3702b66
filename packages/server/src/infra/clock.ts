import { MINUTE_MS } from "./time.js";

/** The time. Only this file asks the machine; tests use a clock that they move. */
export interface Clock {
  /** Milliseconds since 1970 UTC. */
  now(): number;
  /** Runs `task` once after `delayMs`; the returned function cancels it. Never keeps a process alive. */
  after(delayMs: number, task: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Keeps the process alive, though nothing is under way, until the returned function is called. */
export function keepAlive(): () => void {
  const timer = setInterval(() => undefined, MINUTE_MS);
  return () => clearInterval(timer);
}

/** Waits in real time, and keeps the process alive meanwhile. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The one form of time on the wire: ISO-8601 UTC with milliseconds. */
export function isoTime(ms: number): string {
  // Many times of one second are written, and only their last digits differ.
  const second = Math.floor(ms / 1000);
  if (second !== lastSecond.second) {
    lastSecond = { second, text: new Date(second * 1000).toISOString().slice(0, -4) };
  }
  return `${lastSecond.text}${String(ms - second * 1000).padStart(3, "0")}Z`;
}

let lastSecond = { second: 0, text: "1970-01-01T00:00:00." };

interface Zone {
  readonly format: Intl.DateTimeFormat;
  /** The minute that was formatted last, and its text. Zones differ by whole minutes. */
  minute: number;
  text: string;
}

/** `HH:MM` in a time zone. */
export function localTime(timeZone: string, ms: number): string {
  let zone = zones.get(timeZone);
  if (zone === undefined) {
    const digits = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
    const format = new Intl.DateTimeFormat("en-GB", { timeZone, ...digits });
    zone = { format, minute: Number.NaN, text: "" };
    if (zones.size < ZONES_MAX) zones.set(timeZone, zone);
  }
  const minute = Math.floor(ms / MINUTE_MS);
  if (minute !== zone.minute) {
    zone.minute = minute;
    zone.text = zone.format.format(ms);
  }
  return zone.text;
}

/** By name, because making one costs more than evaluating all rules of a decision. */
const zones = new Map<string, Zone>();
const ZONES_MAX = 1000;

/** A clock that stands still until a test advances it. */
export class ManualClock implements Clock {
  private time: number;
  private timers: { at: number; task: () => void }[] = [];

  constructor(startMs: number) {
    this.time = startMs;
  }

  now(): number {
    return this.time;
  }

  after(delayMs: number, task: () => void): () => void {
    const timer = { at: this.time + delayMs, task };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
    };
  }

  /** Moves time forward and runs what came due, in order of due time. */
  advance(ms: number): void {
    const end = this.time + ms;
    for (;;) {
      const due = this.timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.timers = this.timers.filter((other) => other !== due);
      this.time = Math.max(this.time, due.at);
      due.task();
    }
    this.time = end;
  }
}
