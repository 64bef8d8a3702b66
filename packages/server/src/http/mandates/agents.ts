import { isJsonObject } from "@gatehouse/protocol";
import { readAgentKey } from "../../actions/agents/add-agent.js";
import { showAgent } from "../../actions/agents/read-agents.js";
import { registerAgent, registrationAudience } from "../../actions/agents/register-agent.js";
import { rotateAgentKey } from "../../actions/agents/rotate-agent-key.js";
import type { Context } from "../../context.js";
import { findSite } from "../../domain/sites/live-sites.js";
import { isoTime } from "../../infra/clock.js";
import type { Networks } from "../../infra/networks.js";
import { AddressLimiter } from "../../infra/rate-limit/address-limiter.js";
import { type Handler, json } from "../server/exchange.js";
import { renderMandateAnswer } from "../server/mandate-answer.js";
import { Problem } from "../server/problem.js";
import { readBody, requireVerifiedSite } from "./request.js";

const MINUTES_PER_HOUR = 60;
/** Challenges one address may request, as a multiple of its registrations. */
const CHALLENGES_PER_REGISTRATION = 6;
/** A detail that is a whole sentence, so agents may see it. */
const SENTENCE = /^(?:[A-Z`]|jwk: ).*\.$/;

/** How agents register with a site: a challenge, an answer to it, and the status that follows. */
export function agentHandlers(
  context: Context,
): Readonly<Record<"challenge" | "register" | "rotateKey" | "status", Handler>> {
  const { clock, config, challenges, db } = context;
  const perHour = config.limits.REGISTRATIONS_PER_ADDRESS_PER_HOUR;
  const limitPerHour = (burst: number) =>
    new AddressLimiter({ perMinute: burst / MINUTES_PER_HOUR, burst });
  const registrations = limitPerHour(perHour);
  const minting = limitPerHour(perHour * CHALLENGES_PER_REGISTRATION);
  const takeFrom = (limiter: AddressLimiter, networks: Networks) => {
    const waitMs = limiter.take(networks, clock.now());
    if (waitMs === 0) return;
    const wait = String(Math.ceil(waitMs / 1000));
    throw new Problem("rate_limited", { headers: { "retry-after": wait } });
  };

  return {
    challenge: async (exchange) => {
      const site = await requireVerifiedSite(context, exchange);
      takeFrom(minting, exchange.caller.networks);
      const body = await readBody(context, exchange);
      // Registration checks the key strictly, which takes ten times as long as a challenge.
      const key = await readAgentKey(isJsonObject(body) ? body.jwk : undefined);
      if (!key.ok) throw new Problem("schema_invalid", { message: key.detail });
      const { kid } = key.value;
      const minted = challenges.issue({ siteKeyHash: site.siteKeyHash, kid }, clock.now());
      const answer = {
        challenge: minted.challenge,
        expires_at: isoTime(minted.expiresAt),
        audience: registrationAudience(config.baseUrl, site),
        kid,
      };
      return renderMandateAnswer(exchange, { status: 200, body: answer });
    },

    register: async (exchange) => {
      const site = await requireVerifiedSite(context, exchange);
      const body = await readBody(context, exchange);
      const { networks, prefix } = exchange.caller;
      takeFrom(registrations, networks);
      const registered = await registerAgent(context, site, body, prefix);
      if (!registered.ok) {
        const { reason, detail } = registered;
        throw new Problem(reason, { message: SENTENCE.test(detail) ? detail : undefined });
      }
      const { agent, kid } = registered.value;
      const { agentId: agent_id, status } = agent;
      const answer = { agent_id, kid, status };
      return renderMandateAnswer(exchange, {
        status: status === "active" ? 201 : 202,
        body: answer,
      });
    },

    rotateKey: async (exchange) => {
      const site = await requireVerifiedSite(context, exchange);
      const body = await readBody(context, exchange);
      const agentId = exchange.param("agent");
      const rotated = await rotateAgentKey(context, site, agentId, body);
      if (!rotated.ok) throw new Problem(rotated.reason);
      const { kid, oldUntil } = rotated.value;
      const until = oldUntil === null ? {} : { old_key_valid_until: isoTime(oldUntil) };
      const answer = { agent_id: agentId, kid, ...until };
      return renderMandateAnswer(exchange, { status: 201, body: answer });
    },

    // The id has 144 random bits, so only the agent and the owner know it.
    status: async (exchange) => {
      const site = await findSite(db, exchange.param("site"), "key");
      if (site?.status !== "verified") throw new Problem("not_found");
      const shown = await showAgent(context, site.siteKeyHash, exchange.param("agent"));
      if (!shown.ok) throw new Problem("not_found");
      const { agent } = shown.value;
      return json(200, { agent_id: agent.agentId, status: agent.status });
    },
  };
}
