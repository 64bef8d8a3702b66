import { isScope, SCOPES_MAX } from "@gatehouse/protocol";
import { type OpenAPIHono, z } from "@hono/zod-openapi";
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
import { line } from "../server/fields.js";
import { requireOk } from "../server/require-ok.js";
import { json, Timestamp, timeOrNull } from "../server/schemas.js";
import { strict } from "../server/validation.js";
import { type AdminEnv, actorOf, requireSite } from "./access.js";
import { idParam, pageOf, siteRoute } from "./describe.js";
import { PageQuery, pageBody, Search, SiteParams } from "./schemas.js";

const Scopes = z
  .array(z.string().refine(isScope, "must be scopes such as skill:place_order or currency:EUR"))
  .min(1)
  .max(SCOPES_MAX);
const Tag = z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/, "must be lowercase words");
const Tags = z.array(Tag).max(AGENT_TAGS_MAX);

const AgentBody = z
  .object({
    agent_id: z.string(),
    name: z
      .string()
      .openapi({ description: "The agent claims this itself, unless `source` is admin." }),
    contact: z.string().nullable(),
    operator_url: z.string().nullable(),
    key_source: z
      .object({ type: z.string(), url: z.string() })
      .nullable()
      .openapi({ description: "Where the agent's key was found when it registered." }),
    source: z.enum(["admin", "self"]),
    status: z.enum(AGENT_STATUSES),
    scopes: z
      .array(z.string())
      .nullable()
      .openapi({ description: "null: the agent may request everything." }),
    requested_scopes: z.array(z.string()),
    tags: z.array(z.string()),
    created_at: Timestamp,
    changed_at: Timestamp.nullable(),
    expires_at: Timestamp.nullable().openapi({ description: "When a pending agent is deleted." }),
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
  agent_id: idParam("agent_id"),
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
    changed_at: timeOrNull(agent.changedAt),
    expires_at: timeOrNull(agent.expiresAt),
  };
}

function renderKey({ kid, status, createdAt, notAfter }: RegisteredKey): z.infer<typeof KeyBody> {
  return {
    kid,
    status,
    created_at: isoTime(createdAt),
    not_after: timeOrNull(notAfter),
  };
}

const list = siteRoute("get", "/agents", {
  tags: ["Agents"],
  summary: "List agents",
  query: PageQuery.extend({
    status: z.enum(AGENT_STATUSES).optional(),
    q: Search.optional().openapi({
      description: "Text in the name or id. Uppercase and lowercase are the same.",
    }),
  }),
  answer: pageOf(AgentBody, "In order of registration."),
});

const show = siteRoute("get", "/agents/{agent_id}", {
  tags: ["Agents"],
  summary: "Show an agent and its keys",
  params: AgentParams,
  answer: json(AgentWithKeys, "The agent."),
});

const add = siteRoute("post", "/agents", {
  tags: ["Agents"],
  summary: "Add an agent",
  description: "Adds an agent by its public key. It is active immediately.",
  body: strict({
    name: line(AGENT_NAME_CHARS_MAX),
    jwk: z.record(z.string(), z.unknown()),
    scopes: Scopes.optional(),
    tags: Tags.optional(),
  }),
  created: json(AgentBody.extend({ kid: z.string() }), "The agent."),
  errors: ["conflict"],
});

const change = siteRoute("patch", "/agents/{agent_id}", {
  tags: ["Agents"],
  summary: "Change an agent",
  params: AgentParams,
  body: strict({
    name: line(AGENT_NAME_CHARS_MAX).optional(),
    scopes: Scopes.nullable().optional(),
    tags: Tags.optional(),
  }),
  answer: json(AgentBody, "The agent."),
});

const step = siteRoute("post", "/agents/{agent_id}/{step}", {
  tags: ["Agents"],
  summary: "Approve, decline, suspend or revoke an agent",
  description: "Applies from the next decision on, on every node. Revoking is permanent.",
  params: AgentParams.extend({
    step: z.enum(AGENT_STEPS).openapi({ param: { name: "step", in: "path" } }),
  }),
  body: strict({ scopes: Scopes.optional() }),
  answer: json(AgentBody, "The agent."),
  errors: ["conflict"],
});

const rejectAll = siteRoute("post", "/pending-agents/reject", {
  tags: ["Agents"],
  summary: "Reject pending agents",
  description: "Rejects up to 200 at once, oldest first. Each rejection is recorded.",
  body: strict({
    unanchored_only: z.boolean().optional().openapi({
      description: "Only agents whose key is not published on a domain.",
    }),
  }),
  answer: json(z.object({ rejected: z.number().int() }), "The number of declined agents."),
});

export function agentRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(list, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "auditor");
    const { status, q, ...query } = c.req.valid("query");
    const page = await listAgents(context, siteKeyHash, { status, search: q }, query);
    return c.json(pageBody(page, render), 200);
  });

  app.openapi(show, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "auditor");
    const { agent_id } = c.req.valid("param");
    const { agent, keys } = requireOk(await showAgent(context, siteKeyHash, agent_id));
    return c.json({ ...render(agent), keys: keys.map(renderKey) }, 200);
  });

  app.openapi(add, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    const { name, jwk, scopes = null, tags = [] } = c.req.valid("json");
    const { agent, key } = requireOk(
      await addAgent(context, siteKeyHash, { name, jwk, scopes, tags }, actorOf(c)),
    );
    return c.json({ ...render(agent), kid: key.kid }, 201);
  });

  app.openapi(change, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    const { agent_id } = c.req.valid("param");
    const changes = c.req.valid("json");
    const agent = requireOk(await changeAgent(context, siteKeyHash, agent_id, changes, actorOf(c)));
    return c.json(render(agent), 200);
  });

  app.openapi(rejectAll, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    const { unanchored_only: unanchoredOnly = false } = c.req.valid("json");
    const rejected = await rejectPending(context, siteKeyHash, { unanchoredOnly }, actorOf(c));
    return c.json({ rejected }, 200);
  });

  app.openapi(step, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    const { agent_id, step } = c.req.valid("param");
    const change = { step, scopes: c.req.valid("json").scopes };
    const agent = requireOk(await stepAgent(context, siteKeyHash, agent_id, change, actorOf(c)));
    return c.json(render(agent), 200);
  });
}
