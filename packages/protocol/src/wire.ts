/**
 * Every brand-bearing literal on the wire, and nothing else: a rebrand is an edit of this file.
 */

/** Header a caller may send with a mandate; it is echoed on the answer. */
export const REQUEST_ID_HEADER = "X-Service-Request-Id";

/** Domain-separation tags, one per kind of signed message. */
export const TAGS = {
  mandate: "service-mandate-v1",
  agentRegistration: "service-agent-registration-v1",
  keyRotation: "service-key-rotation-v1",
  withdrawal: "service-withdrawal-v1",
  receipt: "service-receipt-v1",
} as const;

/** The `tag` of the signatures on webhooks (RFC 9421), which names what they are for. */
export const WEBHOOK_TAG = "service-webhook-v1";

/** The kinds of message that are signed under a tag. */
export type MessageType = keyof typeof TAGS;

/** Key ids of the service: this prefix, then 16 hex characters derived from the public key. */
export const KEY_ID_PREFIXES = {
  card: "service-card-ed25519-v1-",
  audit: "service-audit-ed25519-v1-",
} as const;

/** What a service key signs: discovery documents, or the audit log. */
export type KeyPurpose = keyof typeof KEY_ID_PREFIXES;

/** Prefixes of site keys. New keys have the first; the second is still valid everywhere. */
export const SITE_KEY_PREFIXES = { current: "us_", legacy: "sk_" } as const;

/** How an owner proves control of a domain. */
export const SITE_VERIFICATION = {
  dnsLabel: "_gatehouse",
  name: "gatehouse-site-verification",
  filePath: "/.well-known/gatehouse-verification.txt",
} as const;

/** Names of our own in A2A cards and catalogs: identifiers, not addresses. */
export const IDENTIFIERS = {
  mandateBinding: "tag:gatehouse.dev,2026:binding/mandate/v1",
  mcpBinding: "tag:gatehouse.dev,2026:binding/mcp/v1",
  siteExtension: "tag:gatehouse.dev,2026:extension/site/v1",
  /** Where the catalog's agent card entry lists the site's skills. */
  skillsExtension: "dev.gatehouse.skills",
  trustSchema: "urn:air:gatehouse.dev:trust:site-manifest-v1",
} as const;
