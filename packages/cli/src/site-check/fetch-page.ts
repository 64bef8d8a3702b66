const FETCH_MS_MAX = 10_000;
const BYTES_MAX = 4 * 1024 * 1024;

/** An answer of the site, or why there was none. */
export interface FetchedPage {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export type Fetched = FetchedPage | { readonly fault: string };

async function readText(response: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Asks as an agent would: once, and a page may lead elsewhere only where that is said. */
export async function fetchPage(url: string, redirect: "manual" | "follow"): Promise<Fetched> {
  try {
    const signal = AbortSignal.timeout(FETCH_MS_MAX);
    const response = await fetch(url, { redirect, signal, headers: { accept: "*/*" } });
    const text = await readText(response);
    if (text === undefined) return { fault: "answers with more than 4 MB" };
    return { status: response.status, headers: response.headers, text };
  } catch (error) {
    const { name, cause } = error as Error & { cause?: { code?: string } };
    if (name === "TimeoutError") return { fault: "does not answer within 10 s" };
    return { fault: `cannot be reached${cause?.code === undefined ? "" : ` (${cause.code})`}` };
  }
}
