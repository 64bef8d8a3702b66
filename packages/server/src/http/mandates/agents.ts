import { isJsonObject } from "@gatehouse/protocol";
import type { OpenAPIHono } from "@hono/zod-openapi";
import { readAgentKeyStrictly } from "../../actions/agents/add-agent.js";
import { registerAgent, registrationAudience } from "../../actions/agents/register-agent.js";
import { rotateAgentKey } from "../../actions/agents/rotate-agent-key.js";
import type { Context } from "../../context.js";
import { agentById } from "../../domain/agents/store.js";
import { isoTime } from "../../infra/clock.js";
import type { Networks } from "../../infra/networks.js";
import { AddressLimiter } from "../../infra/rate-limit/address-limiter.js";
import type { HttpEnv } from "../server/env.js";
import { Problem } from "../server/problem.js";
import { answer, answering, findMandateSite, readBody, requireMandateSite } from "./answering.js";
import { MandateRefusal } from "./refusal.js";

const MINUTES_PER_HOUR = 60;
/** Challenges one address may request, as a multiple of its registrations. */
const CHALLENGES_PER_REGISTRATION = 6;

/** How agents get known to a site: a challenge, an answer to it, and a look at what became of it. */
export function agentRoutes(routes: OpenAPIHono<HttpEnv>, context: Context): void {
  const { clock, config, challenges, db } = context;
  const perHour = config.limits.REGISTRATIONS_PER_ADDRESS_PER_HOUR;
  const registrations = new AddressLimiter({
    perMinute: perHour / MINUTES_PER_HOUR,
    burst: perHour,
  });
  // Every challenge looks up a key, which costs more than most answers.
  const challengesPerHour = perHour * CHALLENGES_PER_REGISTRATION;
  const minting = new AddressLimiter({
    perMinute: challengesPerHour / MINUTES_PER_HOUR,
    burst: challengesPerHour,
  });
  const takeFrom = (limiter: AddressLimiter, networks: Networks) => {
    const waitMs = limiter.take(networks, clock.now());
    if (waitMs === 0) return;
    const wait = String(Math.ceil(waitMs / 1000));
    throw new MandateRefusal("rate_limited", { headers: { "retry-after": wait } });
  };

  const challenge = answering(context, async (c) => {
    const site = await requireMandateSite(context, c);
    takeFrom(minting, c.get("caller").networks);
    const body = await readBody(context, c);
    const key = await readAgentKeyStrictly(isJsonObject(body) ? body.jwk : undefined);
    if (!key.ok) throw new MandateRefusal("schema_invalid", { message: key.detail });
    const challenged = { siteKeyHash: site.siteKeyHash, kid: key.value.kid };
    const minted = challenges.mint(challenged, clock.now());
    return answer(c, 200, {
      challenge: minted.challenge,
      expires_at: isoTime(minted.expiresAt),
      audience: registrationAudience(config.baseUrl, site),
      kid: key.value.kid,
    });
  });
  routes.post("/v1/m/:site/agents/challenge", challenge);

  const register = answering(context, async (c) => {
    const site = await requireMandateSite(context, c);
    const body = await readBody(context, c);
    const { networks, prefix } = c.get("caller");
    takeFrom(registrations, networks);
    const registered = await registerAgent(context, site, body, prefix);
    if (!registered.ok) {
      const { reason, detail } = registered;
      const told = /^[A-Z`].*\.$/.test(detail) ? detail : undefined;
      throw new MandateRefusal(reason, { message: told });
    }
    const { agent, kid } = registered.value;
    const { agentId: agent_id, status } = agent;
    return answer(c, status === "active" ? 201 : 202, { agent_id, kid, status });
  });
  routes.post("/v1/m/:site/agents", register);

  const rotate = answering(context, async (c) => {
    const site = await requireMandateSite(context, c);
    const body = await readBody(context, c);
    const agentId = c.req.param("agent") ?? "";
    const rotated = await rotateAgentKey(context, site, agentId, body);
    if (!rotated.ok) throw new MandateRefusal(rotated.reason);
    const { kid, oldUntil } = rotated.value;
    const until = oldUntil === null ? {} : { old_key_valid_until: isoTime(oldUntil) };
    return answer(c, 201, { agent_id: agentId, kid, ...until });
  });
  routes.post("/v1/m/:site/agents/:agent{agt_[\\w-]+}/keys", rotate);

  // The id is known to the agent and the owner alone: 144 random bits.
  routes.get("/v1/m/:site/agents/:agent{agt_[\\w-]+}", async (c) => {
    const site = await findMandateSite(context, c);
    const agent = site && (await agentById(db, site.siteKeyHash, c.req.param("agent") ?? ""));
    if (agent === undefined) throw new Problem("not_found");
    return c.json({ agent_id: agent.agentId, status: agent.status });
  });
}
