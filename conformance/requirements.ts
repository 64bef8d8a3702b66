/** One promise of the contract that someone outside the service can see hold or fail. */
export interface Requirement {
  /** Clause of the contract and a letter, for example "4.1.5-a". Stable: tests cite it. */
  readonly id: string;
  /** The promise, in one plain sentence. */
  readonly text: string;
  /** The part of the product that keeps it. */
  readonly part: Part;
}

type Part =
  | "foundation"
  | "discovery"
  | "audit"
  | "mcp"
  | "visits"
  | "mandates"
  | "payments"
  | "ucp"
  | "orders";

export const requirements: readonly Requirement[] = [
  // 1. What the service does
  { id: "1.1-a", part: "discovery", text: "A site has a signed, A2A-shaped agent card." },
  { id: "1.1-b", part: "discovery", text: "A site has a signed ARD `ai-catalog.json`." },
  { id: "1.1-c", part: "discovery", text: "A site has a generated `llms.txt`." },
  { id: "1.1-d", part: "discovery", text: "A site has an HTML `/agent` page." },
  { id: "1.1-e", part: "mcp", text: "A site has its own MCP server over Streamable HTTP." },
  {
    id: "1.2-a",
    part: "discovery",
    text: "One public key set (JWKS) verifies the agent cards of all sites.",
  },
  {
    id: "1.2-b",
    part: "discovery",
    text: "The same public key set verifies the catalog trust manifests.",
  },
  {
    id: "1.2-c",
    part: "discovery",
    text: "To verify takes an RFC 8785 canonicalizer and an ed25519 library, and no SDK.",
  },
  {
    id: "1.3-a",
    part: "visits",
    text: "An embed script sends a discovery beacon from page loads and the service accepts it.",
  },
  {
    id: "1.3-b",
    part: "visits",
    text: "The beacon is fire-and-forget: the page needs nothing from its answer.",
  },
  { id: "1.4-a", part: "mandates", text: "The service accepts signed mandates." },
  { id: "1.4-b", part: "mandates", text: "The signature of every mandate is verified." },
  {
    id: "1.4-c",
    part: "mandates",
    text: "The identity of the agent behind every mandate is verified.",
  },
  { id: "1.4-d", part: "mandates", text: "The site's policy is evaluated on a verified mandate." },
  {
    id: "1.4-e",
    part: "payments",
    text: "The site's processor is asked to authorize a mandate's charge only if it is approved.",
  },
  {
    id: "1.4-f",
    part: "mandates",
    text: "A mandate ends approved, escalated, rejected, rate limited or unavailable.",
  },
  { id: "1.4-g", part: "payments", text: "The service never holds funds." },
  { id: "1.5-a", part: "mandates", text: "Every decision is recorded in a signed audit log." },
  { id: "1.5-b", part: "mcp", text: "Every MCP `tools/call` is recorded in a signed audit log." },
  { id: "1.6-a", part: "discovery", text: "Only skills that are live are listed." },
  {
    id: "1.6-b",
    part: "discovery",
    text: "The agent card `skills[]` lists exactly the site's live skills.",
  },
  { id: "1.6-c", part: "mcp", text: "MCP `tools/list` lists exactly the site's live skills." },
  { id: "1.6-d", part: "discovery", text: "The catalog lists exactly the site's live skills." },
  { id: "1.6-e", part: "discovery", text: "`llms.txt` lists exactly the site's live skills." },
  {
    id: "1.6-f",
    part: "discovery",
    text: "The `/agent` page lists exactly the site's live skills.",
  },
  {
    id: "1.6-g",
    part: "mcp",
    text: "The built-in skills are get_pricing, request_demo, sign_up, book_meeting, contact_support, get_status and get_trust_center.",
  },
  {
    id: "1.6-h",
    part: "mcp",
    text: "Each built-in skill answers with a link to the matching page of the site.",
  },
  {
    id: "1.6-i",
    part: "mandates",
    text: "A skill that moves money, for example `place_order`, needs a signed mandate.",
  },
  { id: "1.7-a", part: "ucp", text: "The service publishes a UCP profile for the store." },
  { id: "1.7-b", part: "ucp", text: "UCP carts are priced from the site catalog." },
  { id: "1.7-c", part: "ucp", text: "The service runs UCP checkouts for the store." },
  { id: "1.7-d", part: "orders", text: "Order updates are reported through signed webhooks." },
  {
    id: "1.8-a",
    part: "mcp",
    text: "MCP is live per site: `initialize`, `tools/list` and audited `tools/call`.",
  },
  { id: "1.8-b", part: "discovery", text: "A2A is live as a signed agent card." },
  {
    id: "1.8-c",
    part: "discovery",
    text: "A2A task methods such as `message/send` are not implemented.",
  },
  { id: "1.8-d", part: "mandates", text: "A signed mandate with protocol `ap2` is admitted." },
  {
    id: "1.8-e",
    part: "mandates",
    text: "The `cart_total` and `cart_currency` of an AP2 mandate are shape-checked.",
  },
  {
    id: "1.8-f",
    part: "mandates",
    text: "The `cart_total` and `cart_currency` of an AP2 mandate are fed to the policy engine.",
  },
  {
    id: "1.8-g",
    part: "mandates",
    text: "Full AP2 IntentMandate, CartMandate and PaymentMandate objects are not validated.",
  },
  { id: "1.8-h", part: "discovery", text: "ARD is live as a signed catalog." },
  { id: "1.8-i", part: "discovery", text: "`llms.txt` is live and generated per site." },
  { id: "1.8-j", part: "discovery", text: "The HTML gateway `/agent` is live as an HTML page." },
  { id: "1.8-k", part: "discovery", text: "The JWKS is live and holds public keys." },
  {
    id: "1.8-l",
    part: "discovery",
    text: "The discovery half of ACP is served through the catalog and the card.",
  },
  { id: "1.8-m", part: "discovery", text: "ACP checkout is not enabled for any site." },
  { id: "1.8-n", part: "mandates", text: "A mandate with protocol `acp` is not accepted." },
  { id: "1.8-o", part: "ucp", text: "UCP is live with profile and checkout." },
  { id: "1.8-p", part: "orders", text: "UCP is live with orders and webhooks." },
  {
    id: "1.8-q",
    part: "ucp",
    text: "UCP checkouts and orders go through one card-payment rail.",
  },
  {
    id: "1.8-r",
    part: "visits",
    text: "Web Bot Auth (RFC 9421) signatures are verified on edge-worker and plugin installs.",
  },
  {
    id: "1.8-s",
    part: "visits",
    text: "Outside edge-worker and plugin installs Web Bot Auth is not live and marks no visit.",
  },
  { id: "1.8-t", part: "visits", text: "A failed Web Bot Auth signature is shown on the visit." },
  {
    id: "1.8-u",
    part: "visits",
    text: "A failed Web Bot Auth signature does not block the agent.",
  },
  { id: "1.8-v", part: "mandates", text: "A mandate with protocol `x402` is not accepted." },
  {
    id: "1.9-a",
    part: "ucp",
    text: "UCP checkout is not advertised while the payment processor is not connected.",
  },
  {
    id: "1.9-b",
    part: "ucp",
    text: "UCP checkout is not advertised while the processor's rail is off.",
  },
  {
    id: "1.9-c",
    part: "ucp",
    text: "UCP checkout is not advertised while the site does not settle through the processor.",
  },
  {
    id: "1.9-d",
    part: "ucp",
    text: "UCP checkout is not advertised while no policy is published.",
  },
  {
    id: "1.9-e",
    part: "ucp",
    text: "A live processor account without a wallet merchant ID advertises no UCP checkout.",
  },
  {
    id: "1.9-f",
    part: "ucp",
    text: "A processor account that is not live needs no wallet merchant ID for UCP checkout.",
  },

  // 2. Resources and their fields
  { id: "2.1-a", part: "foundation", text: "A new `site_key` is `us_` followed by 43 characters." },
  {
    id: "2.1-b",
    part: "mandates",
    text: "An older `site_key` with the prefix `sk_` is valid everywhere.",
  },
  {
    id: "2.1-c",
    part: "foundation",
    text: "A `site_key_hash` is a 43-character hash of the site key.",
  },
  { id: "2.1-d", part: "mandates", text: "Routes with `{site_key}` take the site key." },
  { id: "2.1-e", part: "foundation", text: "Routes with `{site_key_hash}` take the hash." },
  {
    id: "2.1-f",
    part: "discovery",
    text: "The agent card and catalog routes accept the site key or its hash.",
  },
  { id: "2.1-g", part: "mcp", text: "The MCP route accepts the site key or its hash." },
  { id: "2.2-a", part: "visits", text: 'The beacon field `schema_version` is the string `"1"`.' },
  {
    id: "2.2-b",
    part: "visits",
    text: "The beacon field `site_key` is a string that names the site.",
  },
  {
    id: "2.2-c",
    part: "visits",
    text: "The beacon field `observed_at` is an ISO-8601 UTC timestamp.",
  },
  {
    id: "2.2-d",
    part: "visits",
    text: "The beacon field `identification` is an object that is used to classify the caller.",
  },
  { id: "2.2-e", part: "visits", text: "The beacon field `page_context` is an object." },
  { id: "2.3-a", part: "discovery", text: "The card's `protocol_version` is `a2a/1.2`." },
  {
    id: "2.3-b",
    part: "discovery",
    text: "The card's `skills[]` holds only skills the site offers.",
  },
  { id: "2.3-c", part: "discovery", text: "The card's `skills[]` is empty when no skill is live." },
  {
    id: "2.3-d",
    part: "discovery",
    text: "The card's `site.service_endpoint` is `{base_url}/v1/m/{site_key}/mandate`.",
  },
  {
    id: "2.3-e",
    part: "discovery",
    text: "The card's `signing.issued_at` is an ISO-8601 UTC timestamp.",
  },
  {
    id: "2.3-f",
    part: "discovery",
    text: "The card's `signing.expires_at` is 15 minutes after `signing.issued_at`.",
  },
  {
    id: "2.3-g",
    part: "discovery",
    text: "The card's `signing.signing_key_id` is the `kid` of the signing key in the JWKS.",
  },
  {
    id: "2.3-h",
    part: "discovery",
    text: "`signing.envelope_signature` is a raw ed25519 signature in unpadded base64url.",
  },
  {
    id: "2.3-i",
    part: "discovery",
    text: "`signing.envelope_signature` covers the JCS-canonical card with that field removed.",
  },
  { id: "2.4-a", part: "discovery", text: "The catalog's `specVersion` is `1.0`." },
  {
    id: "2.4-b",
    part: "discovery",
    text: "The catalog's `host.identifier` is `did:web:{domain}`.",
  },
  {
    id: "2.4-c",
    part: "discovery",
    text: "The catalog's `trustManifest` carries a compact detached ed25519 JWS.",
  },
  {
    id: "2.4-d",
    part: "discovery",
    text: "The JWS of `trustManifest` covers the JCS-canonical manifest body.",
  },
  {
    id: "2.4-e",
    part: "discovery",
    text: "The `kid` in the JWS header of `trustManifest` names the signing key.",
  },
  {
    id: "2.4-f",
    part: "discovery",
    text: "An entry's `url`, `capabilities` and `description` are outside the catalog signature.",
  },
  { id: "2.5-a", part: "discovery", text: "The JWKS is an RFC 7517 key set `{keys:[...]}`." },
  { id: "2.5-b", part: "discovery", text: "Every JWKS key has `kty` `OKP`." },
  { id: "2.5-c", part: "discovery", text: "Every JWKS key has `crv` `Ed25519`." },
  { id: "2.5-d", part: "discovery", text: "Every JWKS key has `alg` `EdDSA`." },
  { id: "2.5-e", part: "discovery", text: "Every JWKS key has `use` `sig`." },
  {
    id: "2.5-f",
    part: "discovery",
    text: "The current `kid` has the form `<service>-card-ed25519-v1-<16 hex characters>`.",
  },
  { id: "2.5-g", part: "discovery", text: "The current `kid` is derived from the public key." },
  {
    id: "2.5-h",
    part: "discovery",
    text: "A JWKS key's `x` is the 32-byte public key in unpadded base64url.",
  },
  {
    id: "2.5-i",
    part: "discovery",
    text: "In a transition the JWKS also lists the same key (same `x`) under a previous ID.",
  },
  {
    id: "2.5-j",
    part: "discovery",
    text: "The JWKS lists the previous ID until at least 2026-11-05.",
  },
  {
    id: "2.5-k",
    part: "discovery",
    text: "Cards and catalogs signed before the key ID changed keep verifying.",
  },
  {
    id: "2.5-l",
    part: "discovery",
    text: "A verifier that does not find a `kid` finds it by refreshing the key set.",
  },
  {
    id: "2.6-a",
    part: "mandates",
    text: "A mandate body is a two-part JSON object `{ signed, envelope }`.",
  },
  { id: "2.6-b", part: "mandates", text: "The size of a mandate body is limited." },
  {
    id: "2.6-c",
    part: "mandates",
    text: "A mandate may have `protocol_context.protocol` `a2a`, `ap2` or `mcp`.",
  },
  {
    id: "2.6-d",
    part: "mandates",
    text: "A mandate with any other `protocol_context.protocol` is not accepted.",
  },
  {
    id: "2.6-e",
    part: "mandates",
    text: "The `cart_total` of an AP2 cart feeds the policy's cart rules.",
  },
  {
    id: "2.6-f",
    part: "mandates",
    text: "The `cart_currency` of an AP2 cart feeds the policy's currency rules.",
  },
  {
    id: "2.7-a",
    part: "mandates",
    text: "Every mandate response has `outcome` `approved`, `escalated`, `rejected`, `rate_limited` or `unavailable`.",
  },
  { id: "2.7-b", part: "mandates", text: "An approved response has the string `mandate_id`." },
  { id: "2.7-c", part: "mandates", text: "An approved response has the string `record_id`." },
  {
    id: "2.7-d",
    part: "mandates",
    text: "An approved response has `evaluated_at` in ISO-8601 UTC.",
  },
  {
    id: "2.7-e",
    part: "mandates",
    text: "An approved response has the integer `rules_evaluated`.",
  },
  { id: "2.7-f", part: "mandates", text: "An escalated response has the string `escalation_id`." },
  {
    id: "2.7-g",
    part: "mandates",
    text: "An escalated response has neither `record_id` nor `rules_evaluated`.",
  },
  {
    id: "2.7-h",
    part: "mandates",
    text: "An escalated response has `evaluated_rule_id`, the rule that asked for review.",
  },
  { id: "2.7-i", part: "mandates", text: "A rejected response has the string `reason`." },
  {
    id: "2.7-j",
    part: "mandates",
    text: "A rate_limited response has the integer `retry_after_seconds`.",
  },
  {
    id: "2.8-a",
    part: "mcp",
    text: "An MCP request is a JSON-RPC 2.0 object with `jsonrpc`, `id`, `method` and `params`.",
  },
  {
    id: "2.8-b",
    part: "mcp",
    text: "`initialize` takes `protocolVersion`, `capabilities`, `clientInfo` (`name`, `version`).",
  },

  // 3. States and transitions
  {
    id: "3-a",
    part: "mandates",
    text: "A mandate shows no state other than the five outcomes of 2.7.",
  },

  // 4. Endpoints
  {
    id: "4-a",
    part: "ucp",
    text: "All paths of the endpoint table are served under `{base_url}`.",
  },
  {
    id: "4-b",
    part: "visits",
    text: "POST `/v1/discovery/ingest` with a JSON beacon answers 204 with no body.",
  },
  {
    id: "4-c",
    part: "discovery",
    text: "GET `/v1/agent-card/{site_key}.json` answers 200, `application/json; charset=utf-8`.",
  },
  {
    id: "4-d",
    part: "discovery",
    text: "GET `/v1/catalog/{site_key}.json` answers 200 with the JSON catalog.",
  },
  {
    id: "4-e",
    part: "mcp",
    text: "POST `/v1/mcp/{site_key}` answers a JSON-RPC body with an MCP response.",
  },
  {
    id: "4-f",
    part: "mcp",
    text: "MCP takes JSON bodies and `Accept: application/json, text/event-stream`.",
  },
  {
    id: "4-g",
    part: "discovery",
    text: "GET `/v1/llms/{site_key_hash}.txt` answers 200 `text/plain`.",
  },
  { id: "4-h", part: "discovery", text: "GET `/v1/agent/{site_key_hash}` answers 200 HTML." },
  { id: "4-i", part: "discovery", text: "The `/agent` page embeds the agent card as JSON-LD." },
  {
    id: "4-j",
    part: "discovery",
    text: "GET `/v1/agent/domain/{domain}` answers 302 to the verified domain's `/agent` page.",
  },
  {
    id: "4-k",
    part: "mandates",
    text: "POST `/v1/m/{site_key}/mandate` with `{ signed, envelope }` answers the JSON of 2.7.",
  },
  {
    id: "4-l",
    part: "mandates",
    text: "The header `X-Service-Request-Id` on a mandate request is optional.",
  },
  {
    id: "4-m",
    part: "discovery",
    text: "GET `/.well-known/jwks.json` answers 200, `application/jwk-set+json; charset=utf-8`.",
  },
  {
    id: "4-n",
    part: "discovery",
    text: "The body of `/.well-known/jwks.json` is the key set of 2.5.",
  },
  {
    id: "4-o",
    part: "ucp",
    text: "GET `/v1/ucp/{site_key_hash}/profile` answers the business profile.",
  },
  {
    id: "4-p",
    part: "ucp",
    text: "`/v1/ucp/{site_key_hash}/checkouts` answers checkout requests with checkout responses.",
  },
  {
    id: "4-q",
    part: "ucp",
    text: "Checkout responses carry the site's terms signed by the service.",
  },
  {
    id: "4-r",
    part: "payments",
    text: "An external payment processor can ask an order-approval endpoint in agentic checkout.",
  },
  {
    id: "4-s",
    part: "ucp",
    text: "Edge-worker and plugin installs also serve the UCP profile at `/.well-known/ucp`.",
  },
  {
    id: "4-t",
    part: "visits",
    text: "`llms.txt` is also served at `/llms.txt` on the site's own domain.",
  },
  {
    id: "4-u",
    part: "visits",
    text: "The agent page is also served at `/agent` on the site's own domain.",
  },

  // 4.1 Endpoint rules
  { id: "4.1.1-a", part: "foundation", text: "Transport is HTTPS only." },
  { id: "4.1.1-b", part: "foundation", text: "A plaintext request is not served." },
  { id: "4.1.2-a", part: "foundation", text: "Every route answers OPTIONS preflights." },
  {
    id: "4.1.3-a",
    part: "discovery",
    text: "Agent card, catalog and JWKS send `Access-Control-Allow-Origin: *`.",
  },
  { id: "4.1.3-b", part: "mandates", text: "The mandate endpoint echoes the request `Origin`." },
  { id: "4.1.3-c", part: "mandates", text: "The mandate endpoint does not allow credentials." },
  {
    id: "4.1.4-a",
    part: "discovery",
    text: "Agent card and catalog send `Cache-Control: public, max-age=60`.",
  },
  {
    id: "4.1.4-b",
    part: "discovery",
    text: "The JWKS is cached at the edge for five minutes (`s-maxage=300`).",
  },
  { id: "4.1.4-c", part: "foundation", text: "Error responses send `Cache-Control: no-store`." },
  { id: "4.1.4-d", part: "mandates", text: "Mandate responses send `Cache-Control: no-store`." },
  { id: "4.1.5-a", part: "foundation", text: "A wrong method returns 405." },
  {
    id: "4.1.5-b",
    part: "foundation",
    text: "A 405 response has an `Allow` header that lists the supported methods.",
  },
  { id: "4.1.6-a", part: "foundation", text: "An unknown site key returns 404." },
  {
    id: "4.1.6-b",
    part: "discovery",
    text: "The 404 body of card and catalog for an unknown site key has `error` = `not_found`.",
  },
  { id: "4.1.7-a", part: "foundation", text: "All timestamps on the wire are ISO-8601 UTC." },
  {
    id: "4.1.7-b",
    part: "discovery",
    text: "Signatures are unpadded base64url (RFC 4648 section 5).",
  },
  {
    id: "4.1.7-c",
    part: "foundation",
    text: "Public keys are unpadded base64url (RFC 4648 section 5).",
  },
  {
    id: "4.1.7-d",
    part: "discovery",
    text: "Every signed payload is canonicalized with RFC 8785 JCS before signing.",
  },
  {
    id: "4.1.8-a",
    part: "mandates",
    text: "`X-Service-Request-Id` sent on a mandate request is echoed on the response.",
  },
  { id: "4.1.9-a", part: "mcp", text: "MCP supports `initialize`." },
  {
    id: "4.1.9-b",
    part: "mcp",
    text: "MCP supports `tools/list`, with the same skills as the card.",
  },
  { id: "4.1.9-c", part: "mcp", text: "MCP supports `tools/call`." },
  { id: "4.1.9-d", part: "mcp", text: "A `tools/call` is recorded in the signed audit log." },
  { id: "4.1.9-e", part: "mcp", text: "MCP responses are not signed." },
  {
    id: "4.1.9-f",
    part: "mandates",
    text: "A `tools/call` that moves money is evaluated exactly as at the mandate endpoint.",
  },
  {
    id: "4.1.10-a",
    part: "mandates",
    text: "Outcome `approved` is HTTP 200 and means that policy passed.",
  },
  {
    id: "4.1.10-b",
    part: "payments",
    text: "Outcome `approved` means that the processor was asked to authorize.",
  },
  {
    id: "4.1.10-c",
    part: "mandates",
    text: "Outcome `escalated` is HTTP 202 and means that policy escalated to human review.",
  },
  {
    id: "4.1.10-d",
    part: "mandates",
    text: "Outcome `rejected` is HTTP 400, 401, 403, 404, 413, 415 or 429.",
  },
  { id: "4.1.10-e", part: "mandates", text: "The `reason` of a rejected mandate says why." },
  {
    id: "4.1.10-f",
    part: "mandates",
    text: "Outcome `rate_limited` is HTTP 429 and means too many mandates for the site.",
  },
  {
    id: "4.1.10-g",
    part: "mandates",
    text: "Outcome `unavailable` is HTTP 503 and means that checks could not complete.",
  },
  {
    id: "4.1.10-h",
    part: "mandates",
    text: "Nothing is approved when the outcome is `unavailable`.",
  },
  {
    id: "4.1.11-a",
    part: "discovery",
    text: "The agent card answers 404 `not_found` for an unrecognized key.",
  },
  {
    id: "4.1.11-b",
    part: "discovery",
    text: "The card of a site with an unverified domain is 404, `status` = `pending_verification`.",
  },
  {
    id: "4.1.11-c",
    part: "discovery",
    text: "The agent card answers 503 when it cannot be built or signed.",
  },
  {
    id: "4.1.12-a",
    part: "discovery",
    text: "A card verifies with the JWKS key whose `kid` equals `signing.signing_key_id`.",
  },
  {
    id: "4.1.12-b",
    part: "discovery",
    text: "A catalog trust manifest verifies with the JWKS key that the JWS header `kid` names.",
  },
  {
    id: "4.1.12-c",
    part: "mandates",
    text: "A mandate is verified with the domain-separation tag `service-mandate-v1`.",
  },
  {
    id: "4.1.12-d",
    part: "mandates",
    text: "A mandate is verified with the agent's registered key.",
  },
  { id: "4.1.13-a", part: "foundation", text: "A health check is at `{health_url}`." },

  // 5. Authentication
  { id: "5-a", part: "visits", text: "Discovery ingest needs no authentication." },
  { id: "5-b", part: "visits", text: "Discovery ingest is scoped by the site key in the body." },
  {
    id: "5-c",
    part: "discovery",
    text: "Card, catalog, `llms.txt`, `/agent` pages and JWKS need no authentication.",
  },
  { id: "5-d", part: "mcp", text: "MCP needs no authentication." },
  { id: "5-e", part: "mandates", text: "MCP tools that move money need a signed mandate." },
  {
    id: "5-f",
    part: "mandates",
    text: "The mandate endpoint authenticates by the ed25519 signature in the body.",
  },
  {
    id: "5-g",
    part: "mandates",
    text: "The mandate endpoint needs no API key, `Authorization` header, cookie or bearer token.",
  },
  { id: "5.1-a", part: "mandates", text: "The site key authorizes nothing by itself." },
  {
    id: "5.2-a",
    part: "mandates",
    text: "A mandate signed without the tag `service-mandate-v1` does not verify.",
  },
  {
    id: "5.2-b",
    part: "mandates",
    text: "A mandate is verified with the agent's registered key, not the service's key.",
  },
  {
    id: "5.3-a",
    part: "mandates",
    text: "A mandate with protocol not `a2a`, `ap2` or `mcp` is rejected before policy runs.",
  },
  {
    id: "5.3-b",
    part: "mandates",
    text: "An unsupported protocol is `rejected`, reason `identity_check_failed`, HTTP 401.",
  },
  {
    id: "5.3-c",
    part: "mandates",
    text: "The audit log records an unsupported protocol with reason `protocol_unsupported`.",
  },
  {
    id: "5.5-a",
    part: "discovery",
    text: "Agent card and catalog are signed with one ed25519 key; one JWKS fetch verifies both.",
  },
  {
    id: "5.5-b",
    part: "audit",
    text: "Audit records are signed with a different key than card and catalog.",
  },
  {
    id: "5.5-c",
    part: "audit",
    text: "Exported bundles are signed with a different key than card and catalog.",
  },
  { id: "5.5-d", part: "audit", text: "The audit key is published at `{audit_key_url}`." },
  {
    id: "5.6-a",
    part: "visits",
    text: "Edge-worker and plugin installs check Web Bot Auth signatures on page requests.",
  },
  {
    id: "5.6-b",
    part: "visits",
    text: "A valid Web Bot Auth signature marks the visit as verified and signed.",
  },
  {
    id: "5.6-c",
    part: "visits",
    text: "A failed Web Bot Auth signature is only shown and does not block.",
  },

  // 6. Events
  { id: "6.1-a", part: "mandates", text: "The endpoints of section 4 push no events to agents." },
  { id: "6.2-a", part: "mandates", text: "Every mandate decision is written to the audit log." },
  { id: "6.2-b", part: "mcp", text: "Every MCP `tools/call` is written to the audit log." },
  { id: "6.2-c", part: "audit", text: "The audit log is append-only." },
  { id: "6.2-d", part: "audit", text: "The audit log is signed." },
  { id: "6.2-e", part: "audit", text: "The audit log is Merkle-chained." },
  { id: "6.2-f", part: "audit", text: "The audit log is exportable as signed JSON." },
  { id: "6.2-g", part: "audit", text: "The audit log is exportable as an HTML bundle." },
  { id: "6.2-h", part: "audit", text: "The audit log is exportable as OCSF NDJSON." },
  {
    id: "6.2-i",
    part: "audit",
    text: "A day with more than 1,000 records on one chain is exported in parts of 1,000 records.",
  },
  { id: "6.2-j", part: "audit", text: "Every part of an export is signed." },
  { id: "6.2-k", part: "audit", text: "Export parts are named `...-part-{k}-of-{n}`." },
  {
    id: "6.3-a",
    part: "orders",
    text: "Refunds are reported to the commerce platform through webhooks.",
  },
  {
    id: "6.3-b",
    part: "orders",
    text: "Disputes are reported to the commerce platform through webhooks.",
  },
  { id: "6.3-c", part: "orders", text: "Order webhooks are signed." },

  // 7. Errors
  {
    id: "7-a",
    part: "foundation",
    text: "A wrong method is 405 and its `Allow` header lists the methods.",
  },
  { id: "7-b", part: "foundation", text: "An unknown site key is 404." },
  {
    id: "7-c",
    part: "discovery",
    text: "Card and catalog say `error` = `not_found` for an unknown site key.",
  },
  {
    id: "7-d",
    part: "discovery",
    text: "The card of a site not yet verified is 404 with `status` = `pending_verification`.",
  },
  { id: "7-e", part: "discovery", text: "The `pending_verification` body has further fields." },
  {
    id: "7-f",
    part: "discovery",
    text: "A card that cannot be built or signed is 503, and a client may retry shortly.",
  },
  { id: "7-g", part: "mandates", text: "A mandate body over 8 KB is 413 with outcome `rejected`." },
  {
    id: "7-h",
    part: "mandates",
    text: "A mandate signature that fails is 401, `rejected`, reason `signature_invalid`.",
  },
  {
    id: "7-i",
    part: "mandates",
    text: "An unsupported protocol value is 401, `rejected`, reason `identity_check_failed`.",
  },
  {
    id: "7-j",
    part: "mandates",
    text: "An agent that failed too often is 429, `rejected`, reason `agent_temporarily_locked`.",
  },
  {
    id: "7-k",
    part: "mandates",
    text: "An agent that is temporarily locked must wait before it is heard again.",
  },
  {
    id: "7-l",
    part: "mandates",
    text: "Too many mandates for the site is 429, `rate_limited`, with `retry_after_seconds`.",
  },
  {
    id: "7-m",
    part: "mcp",
    text: "Too many calls in an MCP session give error `rate_limited` with `retry_after_seconds`.",
  },
  {
    id: "7-n",
    part: "mandates",
    text: "Checks that cannot complete are 503 with outcome `unavailable`.",
  },
  { id: "7-o", part: "mandates", text: "Nothing is approved when checks cannot complete." },
  {
    id: "7-p",
    part: "mandates",
    text: "The HTTP status of a mandate response follows its `outcome`.",
  },
  { id: "7-q", part: "mandates", text: "Mandate rejections also use 400, 403, 404 and 415." },

  // 8. Limits
  { id: "8-a", part: "mandates", text: "A mandate body over 8 KB is rejected with 413." },
  {
    id: "8-b",
    part: "mandates",
    text: "The `retry_after_seconds` of a rate-limited mandate is 60.",
  },
  {
    id: "8-c",
    part: "discovery",
    text: "The agent card lives 15 minutes, from `signing.issued_at` to `signing.expires_at`.",
  },
  {
    id: "8-d",
    part: "discovery",
    text: "Agent card and catalog are cached for `max-age=60` seconds.",
  },
  {
    id: "8-e",
    part: "discovery",
    text: "The JWKS is cached at the edge for `s-maxage=300` seconds.",
  },
  { id: "8-f", part: "audit", text: "An audit export part holds at most 1,000 records." },

  // 9. Versioning
  { id: "9-a", part: "foundation", text: "The HTTP API path version is `/v1/`." },
  { id: "9-b", part: "visits", text: "The beacon `schema_version` is `1`." },
  { id: "9-c", part: "discovery", text: "The agent card `protocol_version` is `a2a/1.2`." },
  { id: "9-d", part: "discovery", text: "The catalog `specVersion` is `1.0`." },
  { id: "9-e", part: "mcp", text: "The MCP `protocolVersion` is `2025-06-18`." },
  {
    id: "9-f",
    part: "ucp",
    text: "The declared version of the checkout protocol (UCP) is `2026-08-25`.",
  },
  {
    id: "9-g",
    part: "discovery",
    text: "The declared version of the agentic checkout protocol (ACP) is `2026-04-17`.",
  },
  {
    id: "9-h",
    part: "mandates",
    text: "The mandate domain-separation tag is `service-mandate-v1`.",
  },
  { id: "9-i", part: "discovery", text: "The signing key ID carries `v1`." },
  {
    id: "9-j",
    part: "foundation",
    text: "The current site key format is `us_` and 43 characters.",
  },
  { id: "9-k", part: "foundation", text: "The older site key format `sk_` is still valid." },
  {
    id: "9-l",
    part: "discovery",
    text: "The signing key ID of 2026-10-04 and the previous ID name the same key material.",
  },
  {
    id: "9-m",
    part: "discovery",
    text: "The previous signing key ID stays listed until at least 2026-11-05.",
  },
];
