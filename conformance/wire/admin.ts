import type { World } from "../../packages/server/test/ucp/buying.ts";

const OF_SITE = [
  "",
  "/agents",
  "/agents/agt_unknown",
  "/audit/logs",
  "/audit/checkpoint",
  "/audit/archives",
  "/audit/records?limit=5",
  "/audit/records/rec_unknown",
  "/decisions",
  "/decisions/unknown",
  "/decisions/counts",
  "/declines",
  "/edge-tokens",
  "/escalations",
  "/escalations/esc_unknown",
  "/mandates",
  "/messages",
  "/notifications",
  "/orders",
  "/orders/ord_unknown",
  "/platforms",
  "/platform-settings",
  "/policy",
  "/policy/versions",
  "/policy/versions/1",
  "/processor",
  "/products",
  "/shop",
  "/skills",
  "/tokens",
  "/visits",
  "/visits/counts",
  "/nothing",
];
const OF_INSTALLATION = [
  "/v1/admin/sites",
  "/v1/admin/sites?limit=1",
  "/v1/admin/sites?limit=x",
  "/v1/admin/tokens",
  "/v1/admin/keys",
  "/v1/admin/installation",
  "/v1/admin/edge-tokens",
  "/v1/admin/nothing",
  "/v1/admin/installation/audit/logs",
  "/v1/admin/sites/nobody",
];

/** What owners and operators read and change, and what they are refused. */
export async function playAdmin({ server, at }: World): Promise<void> {
  const shop = await at.shop();
  const { orderId } = await at.bought(shop);
  for (const path of OF_SITE) await shop.admin("GET", path);
  for (const path of OF_INSTALLATION) await server.admin("GET", path);
  await server.admin("GET", "/v1/admin/sites", undefined, "not-a-token");
  await fetch(`${server.url}/v1/admin/sites`);
  await server.admin("POST", "/v1/admin/sites", { domain: "not a domain", name: "x" });
  await server.admin("POST", "/v1/admin/sites", {});
  for (const [method, path, body] of [
    ["PATCH", "", { name: "Another name" }],
    ["PATCH", "", { surplus: true }],
    ["PUT", "/skills", { skills: [{ id: "get_pricing", enabled: true, url: "ftp://x" }] }],
    ["PUT", "/policy", { policy: "rules/1" }],
    ["POST", "/policy/test", { policy: "rules/1", timezone: "UTC", default: "deny", rules: [] }],
    ["PUT", "/products", { products: [{ id: "x" }] }],
    ["PUT", "/notifications", { webhook_url: "http://x" }],
    ["PUT", "/platforms/platform.example", { status: "admitted" }],
    ["DELETE", "/platforms/platform.example", undefined],
    ["PATCH", "/platform-settings", { buyers: "nobody" }],
    ["POST", "/pause", { reason: "a test" }],
    ["POST", "/resume", {}],
    ["POST", "/tokens", { name: "a clerk", role: "viewer" }],
    ["POST", "/tokens", { name: "a clerk", role: "emperor" }],
    ["GET", `/orders/${orderId}`, undefined],
    ["POST", `/orders/${orderId}/ship`, {}],
    ["POST", `/orders/${orderId}/notes`, { text: "Thanks" }],
    ["POST", `/orders/${orderId}/cancel`, {}],
    ["POST", `/orders/${orderId}/cancel`, {}],
    ["POST", "/preview", {}],
    ["DELETE", "/processor", undefined],
    ["DELETE", "", undefined],
    ["GET", "", undefined],
  ] as const) {
    await shop.admin(method, path, body);
  }
}
