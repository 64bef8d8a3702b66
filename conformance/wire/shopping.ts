import {
  ADDRESS,
  lines,
  paying,
  ROSE,
  sent,
  type World,
} from "../../packages/server/test/ucp/buying.ts";

const NOBODY = "A".repeat(43);

/** UCP: catalog, carts, checkouts and orders, and callers that are refused. */
export async function playShopping(world: World): Promise<void> {
  const { at } = world;
  const shop = await at.shop();
  for (const [path, body] of [
    ["/catalog/search", { query: "rose" }],
    ["/catalog/search", { query: "nothing like it" }],
    ["/catalog/search", {}],
    ["/catalog/search", { pagination: { limit: 2 } }],
    ["/catalog/lookup", { ids: ["rose", "vase", "nothing"] }],
    ["/catalog/lookup", {}],
    ["/catalog/product", { id: "rose" }],
    ["/catalog/product", { id: "nothing" }],
    ["/nothing", {}],
  ] as const) {
    await at.call(shop, path, body);
  }
  await playCallers(world, shop);
  await playCarts(world, shop);
  await playCheckouts(world, shop);
}

type Shop = Awaited<ReturnType<World["at"]["shop"]>>;

async function playCallers({ server, at, platform }: World, shop: Shop): Promise<void> {
  const search = `${server.url}/v1/ucp/${shop.site_key_hash}/catalog/search`;
  const headers = { "content-type": "application/json" };
  await fetch(search, { method: "POST", headers, body: "{}" });
  await fetch(search, { method: "POST", headers: { ...headers, "ucp-agent": "??" }, body: "{}" });
  await fetch(search);
  const created = server.context.clock.now();
  const call = (options: object) =>
    platform.call(search, { query: "rose" }, { created, ...options });
  await call({ sign: false });
  await call({ sign: true, sent: '{"query":"vase"}' });
  await call({ sign: true, created: created - 86_400_000 });
  await call({ sign: true, fields: ["@method"] });
  await call({ profile: "https://nobody.invalid/profile" });
  await at.call({ ...shop, site_key_hash: NOBODY }, "/catalog/search", { query: "rose" });
  await at.call(shop, "/catalog/search", "{");
}

async function playCarts({ at }: World, shop: Shop): Promise<void> {
  const cart = await at.call(shop, "/carts", lines(["rose", 1], ["vase", 2]));
  const path = `/carts/${cart.body.id}`;
  await at.call(shop, path, undefined, { method: "GET" });
  await at.call(shop, path, lines(["vase", 1]), { method: "PUT" });
  await at.call(shop, path, lines(["nothing", 1]), { method: "PUT" });
  await at.call(shop, `${path}/cancel`);
  await at.call(shop, path, undefined, { method: "GET" });
  await at.call(shop, "/carts", lines(["gone", 1]));
  await at.call(shop, "/carts", {});
  await at.call(shop, "/carts/unknown", undefined, { method: "GET" });
}

async function playCheckouts({ server, at }: World, shop: Shop): Promise<void> {
  const key = "11111111-1111-4111-8111-111111111111";
  const { body } = await at.create(shop, lines(["rose", 1]), { key });
  await at.create(shop, lines(["rose", 1]), { key });
  await at.create(shop, lines(["rose", 2]), { key });
  await at.complete(shop, body.id);
  await at.update(shop, body.id, { ...ROSE, ...sent(null) });
  await at.update(shop, body.id, {
    ...ROSE,
    ...sent("standard", { ...ADDRESS, address_country: "FR" }),
  });
  await at.update(shop, body.id, ROSE);
  await at.complete(shop, body.id, paying("pm_card_chargeDeclined"));
  await at.complete(shop, body.id, paying("tok", "unknown"));
  await at.complete(shop, body.id);
  await at.complete(shop, body.id);
  const done = await at.get(shop, body.id);
  await at.readOrder(shop, done.body.order.id);
  await at.readOrder(shop, "ord_unknown");
  await at.cancel(shop, body.id);
  const cancelled = await at.ready(shop);
  await at.cancel(shop, cancelled.id);
  await at.complete(shop, cancelled.id);
  await at.get(shop, "unknown");
  const large = { ...ROSE, ...lines(["palm", 1]) };
  const reviewed = await at.ready(shop, large);
  await at.complete(shop, reviewed.id);
  await at.get(shop, reviewed.id);
  const refused = await at.ready(shop, { ...ROSE, ...lines(["palm", 2]) });
  await at.complete(shop, refused.id);
  const page = new URL(cancelled.continue_url);
  await fetch(server.url + page.pathname + page.search);
  await fetch(`${server.url}${page.pathname}x`);
}
