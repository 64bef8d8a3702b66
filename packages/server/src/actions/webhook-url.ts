import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../context.js";

/**
 * The address of a webhook in its normal form; refused if Gatehouse may not send to it. `field` names it in
 * the refusal.
 */
export async function readWebhookUrl(
  { safeFetch }: Context,
  text: string,
  field: string,
): Promise<Result<string, "invalid_request">> {
  const permitted = await safeFetch.permits(text);
  // A host that cannot be resolved or reached now may be set up later.
  const later = !permitted.ok && ["no_address", "timed_out"].includes(permitted.reason);
  if (!permitted.ok && !later) return refuse("invalid_request", `${field}: ${permitted.detail}.`);
  const url = new URL(text);
  url.hash = "";
  return ok(url.href);
}
