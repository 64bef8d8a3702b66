import type { KeptFile } from "./kept-file.js";

/** Time; tests move it. */
export interface Clock {
  /** Milliseconds since 1970 UTC. */
  now(): number;
  /** Runs `task` once after `delayMs`; the returned function cancels it. */
  after(delayMs: number, task: () => void): () => void;
}

/** An answer of an address that a stranger named. */
export interface FetchedKeys {
  readonly contentType: string;
  readonly cacheControl: string;
  readonly body: Uint8Array;
}

/** Where documents are kept between requests. */
export interface Shelf {
  get(key: string): Promise<KeptFile | undefined>;
  put(key: string, file: KeptFile): Promise<void>;
  remove(key: string): Promise<void>;
}

/** What the edge needs of where it runs. */
export interface Runtime {
  readonly clock: Clock;
  /** Asks Gatehouse. */
  fetch(url: string, init: RequestInit): Promise<Response>;
  /** Asks an address that a stranger named; undefined when it gave no whole answer with 200. */
  fetchKeys(url: string): Promise<FetchedKeys | undefined>;
  readonly shelf: Shelf;
  /**
   * Whether one request may wait for work that another began. In Workers it must not: what a request
   * began ends with it.
   */
  readonly sharesWork: boolean;
  /** Says what an owner should know. */
  warn(text: string): void;
}

/** Lets work go on after the answer is sent. */
export type Background = (work: Promise<unknown>) => void;

export const KEY_FETCH_MS_MAX = 3000;
export const KEY_BODY_BYTES_MAX = 65_536;
