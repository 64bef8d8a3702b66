import { dnsResolver, SafeFetch } from "@gatehouse/safe-fetch";
import { memoryShelf } from "../memory-shelf.js";
import type { Clock, Runtime } from "../runtime.js";

const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs);
    // Nothing here is worth keeping a process alive for.
    timer.unref();
    return () => clearTimeout(timer);
  },
};

function warnOnConsole(text: string): void {
  // biome-ignore lint/suspicious/noConsole: an application that logs elsewhere says where
  console.warn(`gatehouse: ${text}`);
}

export function nodeRuntime(overrides: {
  readonly clock?: Clock | undefined;
  /** Hosts (`host` or `host:port`) that keys may be fetched from although they are not public. */
  readonly allow?: readonly string[] | undefined;
  readonly warn?: ((text: string) => void) | undefined;
}): Runtime {
  const { clock = systemClock, allow = [], warn = warnOnConsole } = overrides;
  const safeFetch = new SafeFetch({ resolver: dnsResolver(), clock, allow });
  return {
    clock,
    fetch: (url, init) => fetch(url, init),
    async fetchKeys(url) {
      const fetched = await safeFetch.get(url);
      return fetched.ok && fetched.value.status === 200 ? fetched.value : undefined;
    },
    shelf: memoryShelf(),
    sharesWork: true,
    warn: (text) => {
      try {
        warn(text);
      } catch {
        // The application's own log failed; nothing here may fail with it.
      }
    },
  };
}
