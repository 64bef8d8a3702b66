/** An agent a shop knows: over MCP, completing a checkout needs its signed mandate. */
import { createHash, createPrivateKey, randomBytes, sign } from "node:crypto";
import canonicalize from "canonicalize";

/** RFC 7638: the members of the public key, in their order. */
function thumbprint({ crv, kty, x }) {
  return createHash("sha256").update(JSON.stringify({ crv, kty, x })).digest("base64url");
}

/** Signs for one call of `complete_checkout`: its arguments, and the sum that was shown. */
export function signMandate(shop, { jwk, agentId, args, total, currency }) {
  const now = Date.now();
  const signed = {
    v: 1,
    mandate_id: randomBytes(18).toString("base64url"),
    agent_id: agentId,
    site_key: shop.card.site.site_key,
    audience: shop.card.site.service_endpoint,
    issued_at: new Date(now).toISOString(),
    expires_at: new Date(now + 300_000).toISOString(),
    skill: "complete_checkout",
    arguments: args,
    protocol_context: { protocol: "mcp", cart_total: total, cart_currency: currency },
  };
  const bytes = Buffer.concat([
    Buffer.from("service-mandate-v1\0"),
    Buffer.from(canonicalize(signed)),
  ]);
  const signature = sign(null, bytes, createPrivateKey({ key: jwk, format: "jwk" }));
  const envelope = {
    alg: "EdDSA",
    kid: thumbprint(jwk),
    signature: signature.toString("base64url"),
  };
  return { signed, envelope };
}
