import { type OpenAPIHono, z } from "@hono/zod-openapi";
import type { HttpEnv } from "../../platform/http/env.js";
import { DOCUMENTS } from "./kinds.js";

type Registry = OpenAPIHono<HttpEnv>["openAPIRegistry"];

/** Says of each document what the OpenAPI document can: where it is, and what it is. */
export function describeDocuments(registry: Registry): void {
  for (const kind of Object.values(DOCUMENTS)) {
    if (kind.onRequest) continue;
    const name = kind.path.includes("{site_key}") ? "site_key" : "site_key_hash";
    const type = kind.type.split(";")[0] as string;
    registry.registerPath({
      method: "get",
      path: kind.path,
      tags: ["Discovery"],
      summary: kind.summary,
      security: [],
      request: { params: z.object({ [name]: z.string() }) },
      responses: {
        200: { description: kind.summary, content: { [type]: { schema: z.unknown() } } },
        404: { description: "No such site, or its domain is not verified yet." },
        503: { description: "It cannot be made or signed now; see Retry-After." },
      },
    });
  }
}
