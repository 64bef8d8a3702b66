import type { ServerResponse } from "node:http";
import type { Reply } from "./desk.ts";

/** What may go wrong with a call; `after` and `during` mean that it was done all the same. */
export type Fault =
  | "drop_before"
  | "drop_during"
  | "drop_after"
  /** Not done, and yet answered for good: the key stands for this answer. */
  | "error_500"
  | "error_500_after"
  | "rate_limited"
  | "in_use"
  /** Done, and not answered until told to, or until nobody listens any more. */
  | "slow";

/** Answers that are held back. */
export class Held {
  private readonly waiting = new Set<() => void>();
  private readonly watchers: (() => void)[] = [];

  add(release: () => void): void {
    this.waiting.add(release);
    for (const watcher of this.watchers.splice(0)) watcher();
  }

  delete(release: () => void): void {
    this.waiting.delete(release);
  }

  releaseAll(): void {
    for (const release of [...this.waiting]) release();
  }

  /** Resolves once an answer is held. */
  some(): Promise<void> {
    if (this.waiting.size > 0) return Promise.resolve();
    return new Promise((resolve) => this.watchers.push(resolve));
  }
}

function head(response: ServerResponse, { answer, replayed }: Reply): Buffer {
  const bytes = Buffer.from(answer.body);
  response.writeHead(answer.status, {
    "content-type": "application/json",
    "content-length": bytes.length,
    "request-id": answer.requestId,
    ...(replayed ? { "idempotent-replayed": "true" } : {}),
    // Whoever asks again with the key gets the same.
    ...(answer.status === 500 ? { "stripe-should-retry": "false" } : {}),
  });
  return bytes;
}

/** Sends an answer as its fault lets it; `sent` where all of it went out. */
export function deliver(
  response: ServerResponse,
  reply: Reply,
  { fault, held, sent }: { fault: Fault | undefined; held: Held; sent(): void },
): void {
  if (fault === "slow") {
    const release = () => {
      held.delete(release);
      response.off("close", release);
      reply.settle();
      if (response.destroyed) return;
      sent();
      response.end(head(response, reply));
    };
    response.on("close", release);
    held.add(release);
    return;
  }
  reply.settle();
  if (fault === "drop_after") {
    response.destroy();
  } else if (fault === "drop_during") {
    const bytes = head(response, reply);
    response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
  } else {
    sent();
    response.end(head(response, reply));
  }
}
