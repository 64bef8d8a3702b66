import { type JsonObject, type JsonValue, readMandate, scopesAllow } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { mandateSettings } from "../../domain/mandate-settings/store.js";
import { orderById } from "../../domain/orders/store.js";
import type { Site } from "../../domain/sites/site.js";
import type { Sender } from "../../infra/networks.js";
import { agentOrder } from "../../purchase/orders/order-snapshot.js";
import { wholeOrder } from "../../purchase/orders/whole-order.js";
import { isForCall, proveMandate } from "./admit.js";
import { agentStanding, RETIRED } from "./agent-standing.js";
import type { MandateCall, MandateFault } from "./submission.js";

type ReadOrder =
  | { readonly ok: true; readonly order: JsonObject }
  | { readonly ok: false; readonly fault: MandateFault };

const refused = (fault: MandateFault): ReadOrder => ({ ok: false, fault });

/**
 * An order as the agent that placed it sees it. The mandate proves who asks, so signature, scope and time are
 * checked. Nothing is decided and no rule is asked: the same mandate may read again while it is valid.
 */
export async function readOrderByMandate(
  context: Context,
  site: Site,
  { mandate: body, call, caller }: { mandate: JsonValue; call: MandateCall; caller: Sender },
): Promise<ReadOrder> {
  const { admission, clock, config, db, providers } = context;
  const { siteKeyHash } = site;
  const read = readMandate(body, Object.keys(providers));
  if (!read.ok) {
    admission.failProof(caller);
    const isKnown = read.reason !== "protocol_unsupported";
    return refused({
      reason: isKnown ? read.reason : "schema_invalid",
      message: `${read.detail}.`,
    });
  }
  const mandate = read.value;
  const checked = await proveMandate(context, site, mandate);
  if (!checked.ok) {
    admission.failProof(caller);
    return refused(checked.fault);
  }
  caller.provenAs = "proven";
  if (checked.retired) return refused({ reason: "identity_check_failed", specific: RETIRED });
  if (!isForCall(mandate, call)) return refused({ reason: "arguments_mismatch" });
  const settings = await mandateSettings(db, siteKeyHash);
  const now = clock.now();
  const standing = await agentStanding(db, siteKeyHash, mandate, { settings, now });
  if (!standing.ok) return standing;
  const { agentId, scopes } = standing.agent;
  const { skill, protocol } = mandate;
  if (!scopesAllow(scopes, { skill, protocol, currency: undefined }))
    return refused({ reason: "scope_not_granted" });
  const { id } = call.arguments;
  const order = typeof id === "string" ? await orderById(db, siteKeyHash, id) : undefined;
  // An order of somebody else is as unknown as one that does not exist.
  if (order?.actorId !== agentId) {
    return refused({ reason: "not_found", message: "There is no such order of this agent." });
  }
  return { ok: true, order: agentOrder(config, await wholeOrder(db, order)) };
}
