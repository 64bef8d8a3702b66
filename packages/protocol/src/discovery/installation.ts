import type { JsonObject } from "../json/value.js";

/**
 * The API catalog of the service (RFC 9727), as a linkset (RFC 9264).
 *
 * @example
 * apiCatalog("https://gate.example.com").linkset[0].anchor; //=> "https://gate.example.com/v1/"
 */
export function apiCatalog(baseUrl: string): JsonObject {
  return {
    linkset: [
      {
        anchor: `${baseUrl}/v1/`,
        "service-desc": [{ href: `${baseUrl}/openapi.json`, type: "application/json" }],
        "service-doc": [{ href: `${baseUrl}/docs/README.md`, type: "text/markdown" }],
        status: [{ href: `${baseUrl}/healthz`, type: "application/json" }],
      },
    ],
  };
}

/**
 * The security.txt of the service (RFC 9116).
 *
 * @example
 * const when = Date.UTC(2030, 4, 17);
 * securityTxt("https://gate.example.com", "tel:+1-201-555-0123", when).split("\n")[0]; //=> "Contact: tel:+1-201-555-0123"
 */
export function securityTxt(baseUrl: string, contact: string, expiresAt: number): string {
  return [
    `Contact: ${contact}`,
    `Expires: ${new Date(expiresAt).toISOString()}`,
    "Preferred-Languages: en",
    `Canonical: ${baseUrl}/.well-known/security.txt`,
    "",
  ].join("\n");
}
