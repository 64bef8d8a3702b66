import type { KeptFile } from "../kept-file.js";
import type { Shelf } from "../runtime.js";

/** The part of a Workers cache that is used. */
export interface WorkersCache {
  match(key: string): Promise<Response | undefined>;
  put(key: string, response: Response): Promise<void>;
  delete(key: string): Promise<boolean>;
}

/** As long as a document may be served when Gatehouse is away. */
const KEPT_S = 24 * 3_600;
const ABOUT = "x-gatehouse-kept";

/** An address nobody else can ask for, made from the key. */
const addressOf = (key: string) => `https://kept.gatehouse.invalid/${encodeURIComponent(key)}`;

function toResponse({ body, ...kept }: KeptFile): Response {
  const metadata = JSON.stringify(kept);
  return new Response(body as Uint8Array<ArrayBuffer>, {
    headers: { "cache-control": `max-age=${KEPT_S}`, [ABOUT]: encodeURIComponent(metadata) },
  });
}

async function fromResponse(response: Response): Promise<KeptFile | undefined> {
  const metadata = response.headers.get(ABOUT);
  if (metadata === null) return undefined;
  const body = new Uint8Array(await response.arrayBuffer());
  return { ...(JSON.parse(decodeURIComponent(metadata)) as Omit<KeptFile, "body">), body };
}

/**
 * Documents in the data centre's cache, shared by every isolate there and outliving each, below the
 * isolate's own memory.
 */
export function cacheShelf(cache: WorkersCache, memory: Shelf): Shelf {
  return {
    async get(key) {
      const near = await memory.get(key);
      if (near !== undefined && Date.now() < near.freshUntil) return near;
      const response = await cache.match(addressOf(key));
      const far = response === undefined ? undefined : await fromResponse(response);
      // Another isolate may have renewed it meanwhile.
      if (far === undefined || (near !== undefined && near.keptAt >= far.keptAt)) return near;
      await memory.put(key, far);
      return far;
    },
    async put(key, file) {
      await memory.put(key, file);
      await cache.put(addressOf(key), toResponse(file));
    },
    async remove(key) {
      await memory.remove(key);
      await cache.delete(addressOf(key));
    },
  };
}
