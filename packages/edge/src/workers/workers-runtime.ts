import { memoryShelf } from "../memory-shelf.js";
import { readBody } from "../read-body.js";
import {
  type FetchedKeys,
  KEY_BODY_BYTES_MAX,
  KEY_FETCH_MS_MAX,
  type Runtime,
} from "../runtime.js";
import { cacheShelf, type WorkersCache } from "./cache-shelf.js";

async function fetchKeys(url: string): Promise<FetchedKeys | undefined> {
  const answer = await fetch(url, {
    redirect: "manual",
    signal: AbortSignal.timeout(KEY_FETCH_MS_MAX),
  });
  const body = await readBody(answer, KEY_BODY_BYTES_MAX);
  if (answer.status !== 200 || body === undefined) return undefined;
  const header = (name: string) => answer.headers.get(name) ?? "";
  return { contentType: header("content-type"), cacheControl: header("cache-control"), body };
}

/** The cache of the data centre, where there is one. */
function workersCache(): WorkersCache | undefined {
  const { caches } = globalThis as { caches?: { default?: WorkersCache } };
  return caches?.default;
}

export function workersRuntime(): Runtime {
  const cache = workersCache();
  const memory = memoryShelf();
  return {
    clock: {
      now: () => Date.now(),
      after(delayMs, task) {
        const timer = setTimeout(task, delayMs);
        return () => clearTimeout(timer);
      },
    },
    fetch: (url, init) => fetch(url, init),
    fetchKeys,
    shelf: cache === undefined ? memory : cacheShelf(cache, memory),
    sharesWork: false,
    // biome-ignore lint/suspicious/noConsole: the log of a Worker is its console
    warn: (text) => console.warn(`gatehouse: ${text}`),
  };
}
