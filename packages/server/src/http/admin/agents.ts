import { isScope, SCOPES_MAX } from "@gatehouse/protocol";
import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { addAgent } from "../../actions/agents/add-agent.js";
import { AGENT_STEPS, changeAgent, stepAgent } from "../../actions/agents/change-agent.js";
import { listAgents, showAgent } from "../../actions/agents/read-agents.js";
import { rejectPending } from "../../actions/agents/reject-pending.js";
import type { Context } from "../../context.js";
import {
  AGENT_NAME_CHARS_MAX,
  AGENT_STATUSES,
  AGENT_TAGS_MAX,
  type Agent,
  type RegisteredKey,
} from "../../domain/agents/agent.js";
import { isoTime } from "../../infra/clock.js";
import { strict } from "../server/faults.js";
import { body, errors, json, Timestamp } from "../server/schemas.js";
import { type AdminEnv, actorOf, requireSite } from "./access.js";
import { line } from "./fields.js";
import { NextCursor, PageQuery, pageBody, refused, Search, SiteParams } from "./schemas.js";

const Scopes = z
  .array(z.string().refine(isScope, "must be scopes such as skill:place_order or currency:EUR"))
  .min(1)
  .max(SCOPES_MAX);
const Tag = z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/, "must be lower-case words");
const Tags = z.array(Tag).max(AGENT_TAGS_MAX);

const AgentBody = z
  .object({
    agent_id: z.string(),
    name: z.string().openapi({ description: "Claimed by itself, unless `source` is admin." }),
    contact: z.string().nullable(),
    operator_url: z.string().nullable(),
    key_source: z
      .object({ type: z.string(), url: z.string() })
      .nullable()
      .openapi({ description: "Where its key was found when it registered." }),
    source: z.enum(["admin", "self"]),
    status: z.enum(AGENT_STATUSES),
    scopes: z.array(z.string()).nullable().openapi({ description: "null: everything." }),
    requested_scopes: z.array(z.string()),
    tags: z.array(z.string()),
    created_at: Timestamp,
    changed_at: Timestamp.nullable(),
    expires_at: Timestamp.nullable().openapi({ description: "When a pending one is forgotten." }),
  })
  .openapi("Agent");

const KeyBody = z.object({
  kid: z.string(),
  status: z.enum(["active", "revoked"]),
  created_at: Timestamp,
  not_after: Timestamp.nullable(),
});

const AgentWithKeys = AgentBody.extend({ keys: z.array(KeyBody) }).openapi("AgentWithKeys");

const AgentParams = SiteParams.extend({
  agent_id: z
    .string()
    .max(80)
    .openapi({ param: { name: "agent_id", in: "path" } }),
});

function render(agent: Agent): z.infer<typeof AgentBody> {
  return {
    agent_id: agent.agentId,
    name: agent.name,
    contact: agent.contact,
    operator_url: agent.operatorUrl,
    key_source: agent.keySource === null ? null : { ...agent.keySource },
    source: agent.source,
    status: agent.status,
    scopes: agent.scopes === null ? null : [...agent.scopes],
    requested_scopes: [...agent.requestedScopes],
    tags: [...agent.tags],
    created_at: isoTime(agent.createdAt),
    changed_at: agent.changedAt === null ? null : isoTime(agent.changedAt),
    expires_at: agent.expiresAt === null ? null : isoTime(agent.expiresAt),
  };
}

function renderKey({ kid, status, createdAt, notAfter }: RegisteredKey): z.infer<typeof KeyBody> {
  return {
    kid,
    status,
    created_at: isoTime(createdAt),
    not_after: notAfter === null ? null : isoTime(notAfter),
  };
}

const list = createRoute({
  method: "get",
  path: "/v1/admin/sites/{site_key_hash}/agents",
  tags: ["Agents"],
  summary: "List agents",
  request: {
    params: SiteParams,
    query: PageQuery.extend({
      status: z.enum(AGENT_STATUSES).optional(),
      q: Search.optional().openapi({
        description: "What name or id hold; small and capital letters are alike.",
      }),
    }),
  },
  responses: {
    200: json(z.object({ items: z.array(AgentBody), next_cursor: NextCursor }), "In order."),
    ...errors("invalid_request", "not_found"),
  },
});

const show = createRoute({
  method: "get",
  path: "/v1/admin/sites/{site_key_hash}/agents/{agent_id}",
  tags: ["Agents"],
  summary: "Show an agent and its keys",
  request: { params: AgentParams },
  responses: { 200: json(AgentWithKeys, "The agent."), ...errors("not_found") },
});

const add = createRoute({
  method: "post",
  path: "/v1/admin/sites/{site_key_hash}/agents",
  tags: ["Agents"],
  summary: "Add an agent",
  description: "One you know, by its public key. It is active at once.",
  request: {
    params: SiteParams,
    body: body(
      strict({
        name: line(AGENT_NAME_CHARS_MAX),
        jwk: z.record(z.string(), z.unknown()),
        scopes: Scopes.optional(),
        tags: Tags.optional(),
      }),
    ),
  },
  responses: {
    201: json(AgentBody.extend({ kid: z.string() }), "The agent."),
    ...errors("invalid_request", "forbidden", "not_found", "conflict"),
  },
});

const change = createRoute({
  method: "patch",
  path: "/v1/admin/sites/{site_key_hash}/agents/{agent_id}",
  tags: ["Agents"],
  summary: "Change what you say of an agent",
  request: {
    params: AgentParams,
    body: body(
      strict({
        name: line(AGENT_NAME_CHARS_MAX).optional(),
        scopes: Scopes.nullable().optional(),
        tags: Tags.optional(),
      }),
    ),
  },
  responses: {
    200: json(AgentBody, "The agent."),
    ...errors("invalid_request", "forbidden", "not_found"),
  },
});

const step = createRoute({
  method: "post",
  path: "/v1/admin/sites/{site_key_hash}/agents/{agent_id}/{step}",
  tags: ["Agents"],
  summary: "Approve, reject, suspend or revoke an agent",
  description: "Holds for the very next decision, on every node. Revoking is for ever.",
  request: {
    params: AgentParams.extend({
      step: z.enum(AGENT_STEPS).openapi({ param: { name: "step", in: "path" } }),
    }),
    body: body(strict({ scopes: Scopes.optional() })),
  },
  responses: {
    200: json(AgentBody, "The agent."),
    ...errors("invalid_request", "forbidden", "not_found", "conflict"),
  },
});

const rejectAll = createRoute({
  method: "post",
  path: "/v1/admin/sites/{site_key_hash}/pending-agents/reject",
  tags: ["Agents"],
  summary: "Reject pending agents",
  description: "Up to 200 at once, the oldest first. Each is recorded.",
  request: {
    params: SiteParams,
    body: body(
      strict({
        unanchored_only: z.boolean().optional().openapi({
          description: "Only those whose key no domain publishes.",
        }),
      }),
    ),
  },
  responses: {
    200: json(z.object({ rejected: z.number().int() }), "How many were rejected."),
    ...errors("invalid_request", "forbidden", "not_found"),
  },
});

export function agentRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(list, async (c) => {
    const { site_key_hash } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "auditor");
    const { status, q, ...query } = c.req.valid("query");
    const page = await listAgents(context, site_key_hash, { status, search: q }, query);
    return c.json(pageBody(page, render), 200);
  });

  app.openapi(show, async (c) => {
    const { site_key_hash, agent_id } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "auditor");
    const result = await showAgent(context, site_key_hash, agent_id);
    if (!result.ok) return refused(result);
    const { agent, keys } = result.value;
    return c.json({ ...render(agent), keys: keys.map(renderKey) }, 200);
  });

  app.openapi(add, async (c) => {
    const { site_key_hash } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "owner");
    const { name, jwk, scopes = null, tags = [] } = c.req.valid("json");
    const result = await addAgent(context, site_key_hash, { name, jwk, scopes, tags }, actorOf(c));
    if (!result.ok) return refused(result);
    return c.json({ ...render(result.value.agent), kid: result.value.key.kid }, 201);
  });

  app.openapi(change, async (c) => {
    const { site_key_hash, agent_id } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "owner");
    const changes = c.req.valid("json");
    const result = await changeAgent(context, site_key_hash, agent_id, changes, actorOf(c));
    return result.ok ? c.json(render(result.value), 200) : refused(result);
  });

  app.openapi(rejectAll, async (c) => {
    const { site_key_hash } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "owner");
    const { unanchored_only: unanchoredOnly = false } = c.req.valid("json");
    const rejected = await rejectPending(context, site_key_hash, { unanchoredOnly }, actorOf(c));
    return c.json({ rejected }, 200);
  });

  app.openapi(step, async (c) => {
    const { site_key_hash, agent_id, step: name } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "owner");
    const { scopes } = c.req.valid("json");
    const change = { step: name, scopes };
    const result = await stepAgent(context, site_key_hash, agent_id, change, actorOf(c));
    return result.ok ? c.json(render(result.value), 200) : refused(result);
  });
}
