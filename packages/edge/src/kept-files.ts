import { type KeptFile, keepFile } from "./kept-file.js";
import { readBody } from "./read-body.js";
import type { Background, Runtime } from "./runtime.js";
import type { AskedFile } from "./site-files.js";
import { DAY_MS, MINUTE_MS } from "./time.js";

/** What a visitor waits for Gatehouse: 300 ms, less what the first request of a process takes. */
const BUDGET_MS = 250;
/** What Gatehouse has to answer at all, while nobody waits any more. */
const FETCH_MS_MAX = 5_000;
const FILE_BYTES_MAX = 1024 * 1024;
/** How long a document that could not be renewed is still served, unless it expires earlier. */
const STALE_MS_MAX = DAY_MS;
/** How long nobody asks again after Gatehouse failed, or had no such document. */
const FAILED_MS = 5_000;
const ABSENT_MS = MINUTE_MS;

/** Gatehouse has no such document, or not now: the site's own is served. */
const ABSENT = "absent";
const FAILED = "failed";
type Renewed = KeptFile | typeof ABSENT | typeof FAILED;

/** Gatehouse's own words for a site it does not speak for; any other 404 is somebody else's. */
function saysAbsent(text: string): boolean {
  const { error, status } = JSON.parse(text) as { error?: unknown; status?: unknown };
  return error === "not_found" || status === "pending_verification";
}

/**
 * Documents of Gatehouse, kept as long as they say, and longer where Gatehouse does not answer. Both
 * maps are bounded by the documents there are, twice: as they are, and as Markdown.
 */
export class KeptFiles {
  private readonly runtime: Runtime;
  private readonly underWay = new Map<string, Promise<Renewed>>();
  private readonly notBefore = new Map<string, number>();

  constructor(runtime: Runtime) {
    this.runtime = runtime;
  }

  /** The document, within the budget; undefined when the site should answer instead. */
  async find(wanted: AskedFile, background: Background): Promise<KeptFile | undefined> {
    const { clock, shelf } = this.runtime;
    const key = `${wanted.accept} ${wanted.address}`;
    const kept = await shelf.get(key).catch(() => undefined);
    const now = clock.now();
    if (kept !== undefined && now < kept.freshUntil) return kept;
    const stale = kept !== undefined && now < kept.keptAt + STALE_MS_MAX ? kept : undefined;
    if (now < (this.notBefore.get(key) ?? 0)) return stale;
    const renewal = this.renewal(key, wanted);
    background(renewal);
    const renewed = await this.inTime(key, renewal);
    if (renewed === ABSENT) return undefined;
    return renewed === FAILED ? stale : renewed;
  }

  private inTime(key: string, renewal: Promise<Renewed>): Promise<Renewed> {
    const { clock } = this.runtime;
    return new Promise((resolve) => {
      const cancel = clock.after(BUDGET_MS, () => {
        // Nobody else waits for the same silence; an answer that comes after all ends this.
        this.notBefore.set(key, clock.now() + FAILED_MS);
        resolve(FAILED);
      });
      renewal.then((renewed) => {
        cancel();
        resolve(renewed);
      });
    });
  }

  private renewal(key: string, wanted: AskedFile): Promise<Renewed> {
    const running = this.underWay.get(key);
    if (running !== undefined && this.runtime.sharesWork) return running;
    const renewal = this.renew(key, wanted).finally(() => this.underWay.delete(key));
    this.underWay.set(key, renewal);
    return renewal;
  }

  /** Never rejects. Its result is kept before it is told. */
  private async renew(key: string, wanted: AskedFile): Promise<Renewed> {
    const { clock, shelf } = this.runtime;
    const renewed = await this.ask(wanted).catch((): Renewed => FAILED);
    if (renewed === FAILED) {
      this.notBefore.set(key, clock.now() + FAILED_MS);
      return FAILED;
    }
    if (renewed === ABSENT) {
      this.notBefore.set(key, clock.now() + ABSENT_MS);
      await shelf.remove(key).catch(() => undefined);
      return ABSENT;
    }
    this.notBefore.delete(key);
    await shelf.put(key, renewed).catch(() => undefined);
    return renewed;
  }

  private async ask({ address, accept, holds, withheld, expiry }: AskedFile): Promise<Renewed> {
    const { clock } = this.runtime;
    const abort = new AbortController();
    const cancel = clock.after(FETCH_MS_MAX, () => abort.abort());
    try {
      const answer = await this.runtime.fetch(address, {
        headers: { accept },
        redirect: "manual",
        signal: abort.signal,
      });
      const body = await readBody(answer, FILE_BYTES_MAX);
      if (body === undefined) return FAILED;
      const text = new TextDecoder("utf-8", { fatal: true }).decode(body);
      if (answer.status === 404 && saysAbsent(text)) return ABSENT;
      const type = answer.headers.get("content-type") ?? "";
      const good = answer.status === 200 && type.startsWith(accept) && holds(text);
      if (good && withheld?.(text)) return ABSENT;
      if (!good) return FAILED;
      const expiresAt = expiry?.(text) ?? null;
      // A document that should have an expiry and has none is not from Gatehouse.
      if (Number.isNaN(expiresAt)) return FAILED;
      return keepFile(answer, body, { now: clock.now(), expiresAt });
    } finally {
      cancel();
    }
  }
}
