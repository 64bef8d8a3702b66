import type { Readable } from "node:stream";
import { Miniflare, type Request as WorkerRequest, Response as WorkerResponse } from "miniflare";
import { bundleWorker } from "./bundle-worker.ts";

const DIRECTORY_TYPE = "application/http-message-signatures-directory+json";

export interface WorkerWorld {
  readonly bindings: Record<string, string>;
  /** The site's own host, and where it really is. */
  readonly siteHost: string;
  readonly origin: string;
  /** Where an agent's keys stand, and what they are. */
  readonly directory: { readonly origin: string; readonly keys: readonly unknown[] };
  /** Told of what the Worker writes to its log. */
  readonly said?: (text: string) => void;
  /** Code of another Worker than the example's. */
  readonly entry?: string;
}

let code: Promise<string> | undefined;

/** The example's Worker in workerd, with a memory and a cache of its own; names lead where told. */
export async function startWorker(world: WorkerWorld): Promise<Miniflare> {
  const { bindings, siteHost, origin, directory, said = () => undefined } = world;
  code ??= bundleWorker();
  const script = await (world.entry === undefined ? code : bundleWorker(world.entry));
  return new Miniflare({
    modules: true,
    script,
    compatibilityDate: "2026-01-01",
    bindings,
    handleRuntimeStdio: (out: Readable, err: Readable) => {
      for (const stream of [out, err]) stream.on("data", (text) => said(String(text)));
    },
    outboundService: async (request: WorkerRequest) => {
      const url = new URL(request.url);
      if (url.origin === directory.origin) {
        const headers = { "content-type": DIRECTORY_TYPE };
        return new WorkerResponse(JSON.stringify({ keys: directory.keys }), { headers });
      }
      const target = url.host === siteHost ? origin : url.origin;
      const answer = await fetch(target + url.pathname + url.search, {
        method: request.method,
        headers: Object.fromEntries(request.headers),
        redirect: "manual",
        ...(request.body === null ? {} : { body: Buffer.from(await request.arrayBuffer()) }),
      });
      const body = answer.status === 204 ? null : await answer.arrayBuffer();
      return new WorkerResponse(body, {
        status: answer.status,
        headers: [...answer.headers] as [string, string][],
      });
    },
  });
}
