import { type OpenAPIHono, z } from "@hono/zod-openapi";
import type { HttpEnv } from "../server/hono-group.js";
import { DOCUMENTS, takesKey } from "./document-kinds.js";

type Registry = OpenAPIHono<HttpEnv>["openAPIRegistry"];

const OTHERS = [
  {
    path: "/.well-known/jwks.json",
    summary: "Public keys that verify the documents of all sites",
    type: "application/jwk-set+json",
  },
  {
    path: "/.well-known/audit-jwks.json",
    summary: "Public keys that verify the audit logs of all sites",
    type: "application/jwk-set+json",
  },
  {
    path: "/.well-known/api-catalog",
    summary: "API catalog (RFC 9727)",
    type: "application/linkset+json",
  },
  {
    path: "/.well-known/security.txt",
    summary: "Where to report a vulnerability (RFC 9116)",
    type: "text/plain",
  },
];

const UNCHANGED = { description: "The document has not changed since the ETag in If-None-Match." };
const PENDING =
  "There is no such site, or its domain is not verified yet (`status` is `pending_verification`).";

function describeOthers(registry: Registry): void {
  for (const { path, summary, type } of OTHERS) {
    const content = { [type]: { schema: z.unknown() } };
    const responses = { 200: { description: summary, content }, 304: UNCHANGED };
    registry.registerPath({
      method: "get",
      path,
      tags: ["Discovery"],
      summary,
      security: [],
      responses,
    });
  }
  registry.registerPath({
    method: "get",
    path: "/v1/agent/domain/{domain}",
    tags: ["Discovery"],
    summary: "Find the agent page of a verified domain",
    security: [],
    request: { params: z.object({ domain: z.string() }) },
    responses: {
      302: { description: "The address of the agent page is in Location." },
      404: { description: PENDING },
    },
  });
}

/** Says of each document what the OpenAPI document can: where it is, and what it is. */
export function describeDocuments(registry: Registry): void {
  describeOthers(registry);
  for (const kind of Object.values(DOCUMENTS)) {
    if (kind.onRequest) continue;
    const name = takesKey(kind) ? "site_key" : "site_key_hash";
    const types = [kind, kind.markdown === undefined ? kind : DOCUMENTS[kind.markdown]];
    const content = Object.fromEntries(
      types.map(({ type }) => [type.split(";")[0] as string, { schema: z.unknown() }]),
    );
    registry.registerPath({
      method: "get",
      path: kind.path,
      tags: ["Discovery"],
      summary: kind.summary,
      security: [],
      request: { params: z.object({ [name]: z.string() }) },
      responses: {
        200: { description: kind.summary, content },
        304: UNCHANGED,
        404: { description: PENDING },
        503: { description: "The document cannot be created or signed now. See Retry-After." },
      },
    });
  }
}
