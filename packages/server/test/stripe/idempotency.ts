import { isDeepStrictEqual } from "node:util";
import type { Params } from "./form.ts";
import { conflict, invalid, keyInUse } from "./refusals.ts";

const KEPT_MS = 24 * 3_600_000;
const KEY_CHARS_MAX = 255;

export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly requestId: string;
}

interface Asked {
  readonly path: string;
  readonly params: Params;
}

interface Entry extends Asked {
  readonly since: number;
  /** Undefined while the first request with the key is being done. */
  answer: Answer | undefined;
}

/** Answers of an account's, by the keys they were asked for with. */
export class IdempotencyKeys {
  private readonly entries = new Map<string, Entry>();
  private readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
  }

  /** The answer that was given before; throws where the key is in use, or was used otherwise. */
  find(key: string, { path, params }: Asked): Answer | undefined {
    if (key.length > KEY_CHARS_MAX) throw invalid("An idempotency key has 255 characters at most.");
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.answer !== undefined && this.now() - entry.since >= KEPT_MS) {
      this.entries.delete(key);
      return undefined;
    }
    const first = "Keys for idempotent requests can only be used";
    if (entry.path !== path) {
      throw conflict(`${first} for the same endpoint they were first used for (${entry.path}).`);
    }
    if (!isDeepStrictEqual(entry.params, params)) {
      throw conflict(`${first} with the same parameters they were first used with.`);
    }
    if (entry.answer === undefined) throw keyInUse(key);
    return entry.answer;
  }

  /** From now on others with the key have to wait. */
  hold(key: string, { path, params }: Asked): void {
    this.entries.set(key, { path, params, since: this.now(), answer: undefined });
  }

  save(key: string, answer: Answer): void {
    const entry = this.entries.get(key);
    if (entry !== undefined) entry.answer = answer;
  }
}
