import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { endSession } from "../session/session.js";
import { OWN } from "./client.js";

/** The first and the longest wait before reconnecting. */
const AGAIN_MS = 2000;
const AGAIN_MS_MAX = 120_000;

/** The lists that are loaded again. Others are not, because reading them may itself be recorded. */
const FOLLOWED = ["reviews", "orders", "decisions", "questions"] as const;

/** Reads server-sent events with `fetch`, because an EventSource cannot send the header of this page. */
async function listen(
  client: QueryClient,
  siteKeyHash: string,
  hear: (topic: string) => void,
  signal: AbortSignal,
): Promise<boolean> {
  const path = `/v1/admin/sites/${siteKeyHash}/changes`;
  const answer = await fetch(path, { headers: OWN, credentials: "same-origin", signal });
  // A person who lost access must not keep an old page on the screen.
  if (answer.status === 401) endSession(client, true);
  const { ok, body } = answer;
  if (!ok || body === null) return false;
  let rest = "";
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return true;
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data: ")) hear(line.slice(6));
  }
}

/** Waits, or returns earlier if the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
    if (signal.aborted) resolve();
  });
}

/** Listens until the signal aborts. After a gap it reports every topic, because it may have missed some. */
async function listenOn(
  client: QueryClient,
  siteKeyHash: string,
  hear: (topic: string) => void,
  signal: AbortSignal,
): Promise<void> {
  let waitMs = AGAIN_MS;
  while (!signal.aborted) {
    const heard = await listen(client, siteKeyHash, hear, signal).catch(() => false);
    // Back off while the service refuses.
    waitMs = heard ? AGAIN_MS : Math.min(waitMs * 2, AGAIN_MS_MAX);
    await pause(waitMs, signal);
    if (heard && !signal.aborted) for (const topic of FOLLOWED) hear(topic);
  }
}

function ask(client: QueryClient, siteKeyHash: string, topic: string): void {
  const topics = topic === "decisions" ? [topic] : [topic, "decisions"];
  for (const one of topics) void client.invalidateQueries({ queryKey: [one, siteKeyHash] });
}

/**
 * Loads what changed at a site as soon as it changes. Only one tab listens and informs the others, because a
 * browser opens at most six connections to a service.
 */
export function useChanges(siteKeyHash: string | undefined): void {
  const client = useQueryClient();
  useEffect(() => {
    if (siteKeyHash === undefined) return;
    const ending = new AbortController();
    const { signal } = ending;
    const name = `gatehouse-changes-${siteKeyHash}`;
    const others = new BroadcastChannel(name);
    others.onmessage = ({ data }) => ask(client, siteKeyHash, String(data));
    const hear = (topic: string) => {
      others.postMessage(topic);
      ask(client, siteKeyHash, topic);
    };
    const leading = navigator.locks.request(name, { signal }, () =>
      listenOn(client, siteKeyHash, hear, signal),
    );
    // Aborted before it got the lock.
    leading.catch(() => undefined);
    return () => {
      ending.abort();
      others.close();
    };
  }, [client, siteKeyHash]);
}
