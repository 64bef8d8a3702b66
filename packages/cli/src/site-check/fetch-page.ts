import { readBytes, redirectTarget, sendRequest } from "../http.js";

const FETCH_MS_MAX = 10_000;
const BYTES_MAX = 1024 * 1024;
const REDIRECTS_MAX = 5;
/** Says who asks, so that an owner who reads logs knows. */
const USER_AGENT = "Gatehouse-site-check/1";

/** Where a site is looked at: its own address, and the machine that is really asked. */
export interface LookedAt {
  /** What visitors have in their address bar. */
  readonly site: URL;
  /** Scheme, host and port of the connection. */
  readonly connect: URL;
}

export interface FetchedPage {
  readonly kind: "page";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

interface NoPage {
  readonly kind: "fault";
  readonly fault: string;
}

/** An answer of the site, or why there was none. */
export type Fetched = FetchedPage | NoPage;

const noPage = (fault: string): NoPage => ({ kind: "fault", fault });

/** A page that the site serves: any other status than 200 is a fault. */
export const servedPage = (fetched: Fetched): Fetched =>
  fetched.kind === "page" && fetched.status !== 200
    ? noPage(`returned status ${fetched.status}`)
    : fetched;

async function fetchOnce(url: URL, { site, connect }: LookedAt): Promise<Fetched> {
  let isAnswered = false;
  try {
    const answer = await sendRequest(url, {
      headers: { "user-agent": USER_AGENT },
      msMax: FETCH_MS_MAX,
      connect: url.host === site.host ? connect : url,
    });
    isAnswered = true;
    const bytes = await readBytes(answer, BYTES_MAX);
    if (bytes === undefined) return noPage("returned more than 1 MB");
    const entries = Object.entries(answer.headers).map(([name, value]) => [name, String(value)]);
    const headers: Record<string, string> = Object.fromEntries(entries);
    const status = answer.statusCode ?? 0;
    return { kind: "page", status, headers, text: bytes.toString("utf8") };
  } catch (error) {
    const { name, code, message } = error as NodeJS.ErrnoException;
    if (name === "AbortError") return noPage("does not answer within 10 seconds");
    if (isAnswered) return noPage("closed the connection before the answer was complete");
    return noPage(`cannot be reached (${code ?? message})`);
  }
}

/** Asks as an agent would; whether redirects are followed says the caller. */
export async function fetchPage(
  path: string,
  at: LookedAt,
  redirect: "manual" | "follow",
): Promise<Fetched> {
  let url = new URL(path, at.site);
  for (let hop = 0; hop <= REDIRECTS_MAX; hop++) {
    const fetched = await fetchOnce(url, at);
    if (fetched.kind === "fault" || redirect === "manual") return fetched;
    const next = redirectTarget({ statusCode: fetched.status, headers: fetched.headers }, url);
    if (next === undefined) return fetched;
    url = next;
  }
  return noPage("redirects too many times");
}
