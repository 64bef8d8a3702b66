import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Clock } from "./clock.js";
import { type Download, type DownloadLimits, downloadTarget } from "./download.js";
import { Lane } from "./lane.js";
import {
  type Posted,
  type RequestFault,
  type RequestLimits,
  requestTarget,
  type SafeResponse,
  type SignedResponse,
} from "./request.js";
import type { Resolver } from "./resolver.js";
import { readUrl, resolveTarget, type Target, type TargetFault } from "./target.js";

export const FETCH_MS_MAX = 3000;
export const FETCH_BODY_BYTES_MAX = 65_536;
export const POST_BODY_BYTES_MAX = 1_048_576;
const POSITIVE_TTL_MS = 60_000;
const NEGATIVE_TTL_MS = 5 * 60_000;
const CACHE_ENTRIES_MAX = 1000;
const CACHE_BYTES_MAX = 16 * 1024 * 1024;

export type FetchFault = TargetFault | RequestFault | "too_busy";
export type FetchResult = Result<SafeResponse, FetchFault>;

/**
 * Kinds of requests with separate limits, so that none waits for another: addresses that an `owner` set,
 * the daily `check` of the same, addresses that a `stranger` names, hosts that are `known` to answer well,
 * `webhook`s, `shop` systems that agents wait for, and `download`s, which can take minutes.
 */
export type LaneName = "owner" | "check" | "stranger" | "known" | "webhook" | "shop" | "download";

/** Daily checks under way: enough for 1,000,000 a day, even if no site answers within its time. */
export const CHECKS_AT_ONCE = 64;

/** Downloads under way: each may read as fast as this machine does. */
const DOWNLOADS_AT_ONCE = 8;
const REDIRECTS_MAX = 3;

export interface FetchOptions {
  /** `owner` unless said. */
  readonly lane?: LaneName;
  /** The network of the stranger who caused the request. Sources share their lane fairly. */
  readonly source?: string;
  readonly bodyBytesMax?: number;
  /** Skips the cache: for an owner who has just changed what we are about to read. */
  readonly fresh?: boolean;
  /** What the request calls itself, for a host that has to recognize it. */
  readonly userAgent?: string;
}

/** What one request asks for, and where it queues. */
interface Wanted {
  readonly bodyBytes: number;
  readonly lane: LaneName;
  readonly source?: string | undefined;
  readonly posted?: Posted;
  readonly userAgent?: string;
  readonly totalMs?: number;
}

/** Where a redirect leads; empty, and so refused, if it is no address. */
function againstBase(location: string, base: URL): string {
  try {
    return new URL(location, base).href;
  } catch {
    return "";
  }
}

interface Cached {
  readonly result: FetchResult;
  readonly until: number;
  readonly bytes: number;
}

type Send = (
  target: Target,
  limits: { totalMs: number; bodyBytes: number },
  clock: Clock,
  sent?: Pick<Wanted, "posted" | "userAgent">,
) => Promise<Result<SafeResponse, RequestFault>>;

/**
 * The only way out to addresses that strangers name: domain proofs, key directories, profiles,
 * receivers of webhooks.
 * https on 443, no redirects, no user info, public addresses only, looked up once and pinned;
 * bounded in time, size and number. Of GETs equal ones share one, and answers and failures are
 * cached; each POST is its own.
 */
export class SafeFetch {
  private readonly resolver: Resolver;
  private readonly clock: Clock;
  private readonly allow: readonly string[];
  private readonly send: Send;
  private readonly cache = new Map<string, Cached>();
  private cacheBytes = 0;
  private readonly underWay = new Map<string, Promise<FetchResult>>();
  private readonly lanes: Readonly<Record<LaneName, Lane>>;
  private readonly onBusy: (lane: LaneName) => void;

  constructor(options: {
    resolver: Resolver;
    clock: Clock;
    allow: readonly string[];
    send?: Send;
    /** Called for every request that was refused because its turn did not come. */
    onBusy?: (lane: LaneName) => void;
  }) {
    this.resolver = options.resolver;
    this.clock = options.clock;
    this.allow = options.allow;
    this.send = options.send ?? requestTarget;
    this.onBusy = options.onBusy ?? (() => undefined);
    const lane = () => new Lane(this.clock);
    const check = new Lane(this.clock, CHECKS_AT_ONCE);
    const download = new Lane(this.clock, DOWNLOADS_AT_ONCE);
    this.lanes = {
      owner: lane(),
      check,
      stranger: lane(),
      known: lane(),
      webhook: lane(),
      shop: lane(),
      download,
    };
  }

  /** Requests under way and waiting, of all lanes. */
  get load(): { readonly underWay: number; readonly waiting: number } {
    const loads = Object.values(this.lanes).map((lane) => lane.load);
    return {
      underWay: loads.reduce((sum, { underWay }) => sum + underWay, 0),
      waiting: loads.reduce((sum, { waiting }) => sum + waiting, 0),
    };
  }

  async get(text: string, options: FetchOptions = {}): Promise<FetchResult> {
    const read = readUrl(text, this.allow);
    if (!read.ok) return read;
    const url = read.value;
    url.hash = "";
    const bodyBytes = options.bodyBytesMax ?? FETCH_BODY_BYTES_MAX;
    const fresh = options.fresh === true;
    const key = `${bodyBytes} ${url.href}`;
    const cached = this.cache.get(key);
    if (cached !== undefined && !fresh && cached.until > this.clock.now()) return cached.result;
    const { lane = "owner", source, userAgent } = options;
    // A fresh request shares only with fresh ones: an older one may have read the old answer. Nor does
    // one source share with another, whose request may wait behind that one's slow hosts.
    const shared = `${fresh} ${lane} ${source ?? ""} ${key}`;
    const running = this.underWay.get(shared);
    if (running !== undefined) return running;
    const startedAt = this.clock.now();
    const named = userAgent === undefined ? {} : { userAgent };
    const request = this.fetchOnce(url, { bodyBytes, lane, source, ...named })
      .then(({ result, enteredAt }) => {
        // A timeout after a long wait in the queue says nothing about the host.
        const hurried = !result.ok && result.reason === "timed_out" && enteredAt > startedAt;
        // Daily checks of many sites would drive everything else out of the cache.
        return hurried || lane === "check" ? result : this.remember(key, result);
      })
      .finally(() => this.underWay.delete(shared));
    this.underWay.set(shared, request);
    return request;
  }

  /** Sends a body and returns the receiver's status. */
  async post(text: string, posted: Posted): Promise<Result<number, FetchFault>> {
    if (posted.body.length > POST_BODY_BYTES_MAX) {
      return refuse("too_large", "what is to be sent is too large");
    }
    const read = readUrl(text, this.allow);
    if (!read.ok) return read;
    read.value.hash = "";
    const wanted: Wanted = { bodyBytes: 0, lane: "webhook", posted };
    const { result } = await this.fetchOnce(read.value, wanted);
    return result.ok ? ok(result.value.status) : result;
  }

  /** Sends a signed message to a shop system, and returns its signed answer. */
  async exchange(
    text: string,
    posted: Posted,
    { totalMs, bodyBytes }: RequestLimits,
  ): Promise<Result<SignedResponse, FetchFault>> {
    const read = readUrl(text, this.allow);
    if (!read.ok) return read;
    const wanted: Wanted = { bodyBytes, lane: "shop", posted, totalMs };
    const { result } = await this.fetchOnce(read.value, wanted);
    return result as Result<SignedResponse, FetchFault>;
  }

  /**
   * Reads a large body piece by piece. Up to three redirects are followed, each to an address that is checked
   * like the first. Nothing is cached.
   */
  async download<T>(
    text: string,
    limits: DownloadLimits & { readonly headers?: Readonly<Record<string, string>> },
    read: (answer: Download) => Promise<T>,
  ): Promise<Result<T, FetchFault>> {
    const deadline = this.clock.now() + limits.totalMs;
    let next = text;
    for (let hop = 0; hop <= REDIRECTS_MAX; hop++) {
      const url = readUrl(next, this.allow);
      if (!url.ok) return url;
      const { headers = {}, bodyBytes } = limits;
      const entered = await this.lanes.download.enter(
        { host: url.value.host, source: undefined },
        deadline,
      );
      if (!entered.ok) {
        this.onBusy("download");
        return entered;
      }
      try {
        const target = await this.resolveInTime(url.value, deadline - this.clock.now());
        if (!target.ok) return target;
        const totalMs = Math.max(1, deadline - this.clock.now());
        const left = { totalMs, bodyBytes };
        const result = await downloadTarget(target.value, left, this.clock, headers, read);
        if (!result.ok) return result;
        if (result.value.kind === "read") return ok(result.value.value);
        next = againstBase(result.value.location, url.value);
      } finally {
        entered.value();
      }
    }
    return refuse("redirected", `there are more than ${REDIRECTS_MAX} redirects`);
  }

  /** Whether an address may be asked, by its form and by what its name stands for now. Sends nothing. */
  async permits(text: string): Promise<Result<URL, FetchFault>> {
    const read = readUrl(text, this.allow);
    if (!read.ok) return read;
    const target = await this.resolveInTime(read.value, FETCH_MS_MAX);
    return target.ok ? read : target;
  }

  /** The result, and when there was a place for the request. */
  private async fetchOnce(
    url: URL,
    request: Wanted,
  ): Promise<{ readonly result: FetchResult; readonly enteredAt: number }> {
    const { bodyBytes, lane, source, totalMs: ms = FETCH_MS_MAX } = request;
    const deadline = this.clock.now() + ms;
    const entered = await this.lanes[lane].enter({ host: url.host, source }, deadline);
    const enteredAt = this.clock.now();
    if (!entered.ok) {
      this.onBusy(lane);
      return { result: entered, enteredAt };
    }
    try {
      const target = await this.resolveInTime(url, deadline - enteredAt);
      if (!target.ok) return { result: target, enteredAt };
      const totalMs = Math.max(1, deadline - this.clock.now());
      const limits = { totalMs, bodyBytes };
      return { result: await this.send(target.value, limits, this.clock, request), enteredAt };
    } finally {
      entered.value();
    }
  }

  private resolveInTime(url: URL, ms: number): Promise<Result<Target, FetchFault>> {
    return new Promise((resolve, reject) => {
      const cancel = this.clock.after(Math.max(1, ms), () =>
        resolve(refuse("timed_out", "the host's address was not found in time")),
      );
      resolveTarget(url, this.resolver, this.allow).then(resolve, reject).finally(cancel);
    });
  }

  private remember(key: string, result: FetchResult): FetchResult {
    const good = result.ok && result.value.status === 200;
    if (!result.ok && result.reason === "too_busy") return result;
    const bytes = result.ok ? result.value.body.length : 0;
    this.drop(key);
    this.cache.set(key, {
      result,
      until: this.clock.now() + (good ? POSITIVE_TTL_MS : NEGATIVE_TTL_MS),
      bytes,
    });
    this.cacheBytes += bytes;
    while (this.cache.size > CACHE_ENTRIES_MAX || this.cacheBytes > CACHE_BYTES_MAX) {
      this.drop(this.cache.keys().next().value as string);
    }
    return result;
  }

  private drop(key: string): void {
    this.cacheBytes -= this.cache.get(key)?.bytes ?? 0;
    this.cache.delete(key);
  }
}
