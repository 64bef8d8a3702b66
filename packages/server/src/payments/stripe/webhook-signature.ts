import { ok, type Result, refuse } from "@gatehouse/protocol";

/** How far Stripe's clock and ours may differ. */
const CLOCKS_DIFFER_S = 300;
const HEADER_CHARS_MAX = 2000;

/**
 * Verifies that Stripe signed the bytes of a webhook call, and did so recently. Stripe's library accepts any
 * time in the future, so that is checked here.
 */
export async function verifyWebhook(
  body: Uint8Array,
  header: string | undefined,
  secret: string,
  now: number,
): Promise<Result<true, "signature_invalid">> {
  const invalid = refuse("signature_invalid", "the call is not signed by Stripe for this site");
  if (header === undefined || header.length > HEADER_CHARS_MAX) return invalid;
  const [, seconds] = /(?:^|,)t=(\d{1,12})(?:,|$)/.exec(header) ?? [];
  if (seconds === undefined || Number(seconds) * 1000 > now + CLOCKS_DIFFER_S * 1000)
    return invalid;
  const { default: Stripe } = await import("stripe");
  try {
    const { signature } = Stripe.webhooks;
    if (signature === null) return invalid;
    const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    signature.verifyHeader(text, header, secret, CLOCKS_DIFFER_S, undefined, now);
    return ok(true);
  } catch {
    return invalid;
  }
}
