import { Edge } from "../../../edge/src/edge.ts";
import { memoryShelf } from "../../../edge/src/memory-shelf.ts";
import { readSettings } from "../../../edge/src/settings.ts";
import { answerOf, type TestServer } from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";

export const SHOP_TOOLS = [
  "search_catalog",
  "lookup_catalog",
  "get_product",
  "create_cart",
  "get_cart",
  "update_cart",
  "cancel_cart",
  "create_checkout",
  "get_checkout",
  "update_checkout",
  "complete_checkout",
  "cancel_checkout",
];

/** What every surface says of a shop that sells nothing. */
export const NOTHING_SOLD = {
  checkout: false,
  handlers: [],
  transports: 1,
  edge: false,
  skills: [[], [], [], []],
  pointed: [false, false, false, false],
};

/** What each surface of a shop says about buying there. */
export async function surfaces(server: TestServer, shop: Shop) {
  const at = async (path: string) => answerOf(await fetch(server.url + path));
  const text = async (path: string) => (await fetch(server.url + path)).text();
  const { site_key: key, site_key_hash: hash } = shop;
  const profile = (await at(`/v1/ucp/${hash}/profile`)).body;
  const card = (await at(`/v1/agent-card/${key}.json`)).body;
  const catalog = (await at(`/v1/catalog/${key}.json`)).body;
  const llms = await text(`/v1/llms/${hash}.txt`);
  const page = await text(`/v1/agent/${hash}`);
  const listed = await fetch(`${server.url}/v1/mcp/${key}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
  const { tools } = (await answerOf(listed)).body.result;
  const ids = (list: readonly { id?: string; name?: string }[]) =>
    SHOP_TOOLS.filter((tool) => list.some(({ id, name }) => id === tool || name === tool));
  const agentEntry = catalog.entries[0].capabilities ?? [];
  const profileUrl = `/v1/ucp/${hash}/profile`;
  return {
    checkout: "dev.ucp.shopping.checkout" in profile.ucp.capabilities,
    handlers: Object.keys(profile.ucp.payment_handlers),
    wallet: profile.ucp.payment_handlers["com.google.pay"]?.[0].config,
    transports: profile.ucp.services["dev.ucp.shopping"].length,
    skills: [
      ids(card.skills),
      ids(tools),
      SHOP_TOOLS.filter((tool) => agentEntry.includes(tool)),
      SHOP_TOOLS.filter((tool) => page.includes(`<code>${tool}</code>`)),
    ],
    pointed: [
      "ucp_profile_url" in card.site,
      catalog.entries.some(({ url }: { url: string }) => url.endsWith(profileUrl)),
      llms.includes(profileUrl),
      page.includes(profileUrl),
    ],
    edge: await onItsDomain(server, shop),
  };
}

async function onItsDomain({ url: gatehouse, context }: TestServer, shop: Shop): Promise<boolean> {
  const settings = readSettings({
    gatehouse,
    siteKeyHash: shop.site_key_hash,
    edgeToken: `ghe_${"a".repeat(43)}`,
  });
  if (!settings.ok) throw new Error(settings.detail);
  const edge = new Edge(settings.value, {
    clock: context.clock,
    fetch,
    shelf: memoryShelf(),
    sharesWork: true,
    warn: () => undefined,
    fetchKeys: async () => undefined,
  });
  const url = "https://shop.example.com/.well-known/ucp";
  const answer = await edge.answer({ method: "GET", url, fields: [] }, () => undefined);
  return answer?.status === 200;
}
