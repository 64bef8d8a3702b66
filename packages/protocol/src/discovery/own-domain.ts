import type { SITE_PATHS } from "./addresses.js";

/**
 * Where agents look for a site's documents on its own domain, and which document that is. A worker, a
 * plugin or a proxy before the site serves them there.
 *
 * @example
 * OWN_DOMAIN_PATHS["/llms.txt"]; //=> "llms"
 */
export const OWN_DOMAIN_PATHS = Object.freeze({
  "/llms.txt": "llms",
  "/agents.md": "agentsMd",
  "/agent": "agentPage",
  "/.well-known/agent-card.json": "card",
  "/.well-known/ai-catalog.json": "catalog",
  "/.well-known/ard.json": "ard",
  "/.well-known/did.json": "did",
  "/.well-known/acp.json": "acp",
  "/.well-known/ucp": "ucpProfile",
} as const satisfies Readonly<Record<string, keyof typeof SITE_PATHS>>);
