import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { OWN } from "./client.js";

/** How long to wait before listening again, once a stream has ended or was not to be had. */
const AGAIN_MS = 2000;

/** Reads server-sent events by `fetch`: an EventSource cannot say that it is this page's own. */
async function listen(
  siteKeyHash: string,
  hear: (topic: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const path = `/v1/admin/sites/${siteKeyHash}/changes`;
  const { ok, body } = await fetch(path, { headers: OWN, credentials: "same-origin", signal });
  if (!ok || body === null) return;
  let rest = "";
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data: ")) hear(line.slice(6));
  }
}

/** Asks again for what changed at a site, as soon as it has. */
export function useChanges(siteKeyHash: string | undefined): void {
  const client = useQueryClient();
  useEffect(() => {
    if (siteKeyHash === undefined) return;
    const ending = new AbortController();
    const { signal } = ending;
    const hear = (topic: string) => {
      void client.invalidateQueries({ queryKey: [topic, siteKeyHash] });
      // Whatever is reviewed or sold was decided.
      void client.invalidateQueries({ queryKey: ["decisions", siteKeyHash] });
    };
    const goOn = async () => {
      while (!signal.aborted) {
        await listen(siteKeyHash, hear, signal).catch(() => undefined);
        // What happened while nobody listened is asked for too.
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
        if (!signal.aborted) await client.invalidateQueries();
      }
    };
    void goOn();
    return () => ending.abort();
  }, [client, siteKeyHash]);
}
