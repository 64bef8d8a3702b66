import type { World } from "../../packages/server/test/ucp/buying.ts";

const JSON_TYPE = { "content-type": "application/json" };

/** What pages, edges and payment providers send. */
export async function playReports({ server, at }: World): Promise<void> {
  const shop = await at.shop();
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(server.url + path, {
      method: "POST",
      headers: { ...JSON_TYPE, ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  const visit = { site_key: shop.site_key, page_url: "https://shop-1.example.com/prices" };
  const page = { origin: "https://shop-1.example.com" };
  await post("/v1/discovery/ingest", visit, page);
  await post("/v1/discovery/ingest", { ...visit, site_key: "nobody" }, page);
  await post("/v1/discovery/ingest", "{");
  await fetch(`${server.url}/v1/discovery/ingest`);
  await fetch(`${server.url}/v1/discovery/ingest`, { method: "OPTIONS", headers: page });
  const edge = `/v1/edge/${shop.site_key_hash}/visits`;
  await post(edge, { visits: [] });
  await post(edge, { visits: [] }, { authorization: "Bearer wrong" });
  const { body } = await shop.admin("POST", "/edge-tokens", { name: "worker" });
  const bearer = { authorization: `Bearer ${body.token}` };
  const seen = { observed_at: new Date(server.context.clock.now()).toISOString() };
  const visits = [{ ...seen, user_agent: "GPTBot/1.2", page_url: visit.page_url }];
  await post(edge, { visits }, bearer);
  await post(edge, { visits: [{}] }, bearer);
  await post(edge, "{", bearer);
  const hooks = `/v1/hooks/stripe/${shop.site_key_hash}`;
  await post(`${hooks}/events`, {});
  await post(`${hooks}/events`, {}, { "stripe-signature": "t=1,v1=00" });
  await post(`${hooks}/order-approval`, {});
  await post("/v1/hooks/stripe/nobody/events", {}, { "stripe-signature": "t=1,v1=00" });
  await fetch(`${server.url}/v1/sandbox/challenges/unknown`);
}
