/** Shopify's command for UCP shops at a WooCommerce shop, which has Gatehouse's plugin and is on a domain of its own. */
import { UCP_VERSIONS } from "@gatehouse/protocol";
import { afterEach, beforeAll, describe, expect, type TestContext, test } from "vitest";
import {
  connectShop,
  FLAT_RATE,
  newShop,
  openForAgents,
} from "../../packages/wordpress/test/market.ts";
import {
  missing,
  startWordPress,
  type WordPress,
} from "../../packages/wordpress/test/wordpress.ts";
import { canBuy } from "../contract/buying.ts";
import { FETCH_MS_MAX, shopifyUcpCli } from "./fetched.ts";
import { type Market, openMarket } from "./market.ts";
import { type Client, startClient } from "./ucp-cli.ts";

const DOMAIN = "wool.example.com";
const SHOP = `https://${DOMAIN}`;
/** A product of the kit's shop. */
const CUP = { sku: "SHOP-010", minor: 1350 };
const ADDRESS = {
  first_name: "Ada",
  last_name: "Love",
  street_address: "Invalidenstr. 1",
  address_locality: "Berlin",
  postal_code: "10115",
  address_country: "DE",
};

/** TLS ends in front of WordPress, and the certificate of Gatehouse is nobody's whom PHP knows. */
const behindTls = (certFile: string) => `
  $_SERVER['HTTPS'] = 'on';
  add_filter( 'http_request_args', static fn( $arguments ) => array( 'sslcertificates' => '${certFile}' ) + $arguments );`;

/** A buyer's browser, at a shop that others know by its domain alone. */
function buyerAt({ names }: Market) {
  const jar = new Map<string, string>();
  return async (url: string) => {
    const cookie = [...jar].map((pair) => pair.join("=")).join("; ");
    const { host, pathname, search } = new URL(url);
    const answer = await names.ask(host, pathname + search, { headers: { cookie, host } });
    for (const set of answer.headers["set-cookie"] ?? []) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      jar.set(name, value);
    }
    return answer;
  };
}

describe.skipIf(!canBuy() || missing !== undefined)("Shopify's ucp-cli at WooCommerce", () => {
  let cli: Awaited<ReturnType<typeof shopifyUcpCli>>;
  let market: Market;
  let wordpress: WordPress;
  let cup: { readonly id: string; readonly title: string };

  beforeAll(async () => {
    cli = await shopifyUcpCli();
    if (cli === undefined) return;
    market = await openMarket({}, { otherDomains: [DOMAIN] });
    const { names, serviceUrl } = market;
    wordpress = await startWordPress(() => behindTls(names.certFile), { publicUrl: SHOP });
    names.lead(DOMAIN, await names.secure(wordpress.port));
    const shop = await newShop(market, DOMAIN);
    await connectShop(shop, wordpress, serviceUrl);
    await openForAgents(shop);
    // What was not there a moment ago is otherwise asked for again a minute later.
    await wordpress.command("refresh");
    cup =
      await wordpress.evaluate(`$cup = wc_get_product( wc_get_product_id_by_sku( '${CUP.sku}' ) );
      echo json_encode( array( 'id' => (string) $cup->get_id(), 'title' => $cup->get_name() ) );`);
    return async () => {
      await wordpress.stop();
      await market.close();
    };
  }, FETCH_MS_MAX);

  describe.each(UCP_VERSIONS)("with a profile of version %s", (version) => {
    let client: Client;
    let commands = 0;
    beforeAll(async () => {
      if (cli !== undefined) client = await startClient(market, cli, version);
    });
    afterEach(({ task }) => {
      Object.assign(task.meta, { outside: commands });
      commands = 0;
    });

    function needsClient({ skip }: TestContext): void {
      if (cli === undefined) skip("ucp-cli or a Node that it runs on could not be fetched");
    }

    /** Runs a command, whose answer must be one that the client reads, in the version it speaks. */
    async function use(...args: readonly string[]) {
      const { code, said, err } = await client.run(...args, "--business", SHOP);
      const good = [0, "", { version, status: "success" }];
      expect([code, err, said.ucp], said.message).toMatchObject(good);
      commands++;
      return said.result;
    }
    const send = (body: object) => ["--input", JSON.stringify(body)] as const;

    test("finds a product, fills a cart, and is handed off to WooCommerce's own checkout", async (context) => {
      needsClient(context);
      const { code, said } = await client.run("discover", "--business", SHOP);
      expect([code, said.result.profile.ucp.version]).toEqual([0, version]);

      const found = await use("catalog", "search", ...send({ query: cup.title }));
      const [first] = found.products.filter(({ id }: { readonly id: string }) => id === cup.id);
      expect(first).toMatchObject({ id: cup.id, title: cup.title });

      const two = { line_items: [{ item: { id: cup.id }, quantity: 2 }] };
      const cart = await use("cart", "create", ...send(two));
      const from = { cart_id: cart.id, line_items: [] };
      const checkout = await use("checkout", "create", ...send(from));
      expect(checkout.line_items).toMatchObject([{ item: { id: cup.id }, quantity: 2 }]);
      expect(checkout.continue_url).toBe(`${SHOP}/checkout-link/?products=${cup.id}:2`);

      const visit = buyerAt(market);
      const { location = "" } = (await visit(checkout.continue_url)).headers;
      expect(location).toMatch(new RegExp(`^${SHOP}/checkout/`));
      expect((await visit(location)).status).toBe(200);
      const { items, totals } = JSON.parse((await visit(`${SHOP}/wp-json/wc/store/v1/cart`)).text);
      expect(items).toMatchObject([{ id: Number(cup.id), name: cup.title, quantity: 2 }]);
      expect(Number(totals.total_items) + Number(totals.total_items_tax)).toBe(2 * CUP.minor);
    });

    test("is told the delivery, the tax and the total that WooCommerce computes", async (context) => {
      needsClient(context);
      const two = { line_items: [{ item: { id: cup.id }, quantity: 2 }] };
      const { id, line_items } = await use("checkout", "create", ...send(two));
      const line_item_ids = line_items.map((line: { readonly id: string }) => line.id);
      const lines = line_items.map((line: { id: string; item: { id: string } }) => {
        return { id: line.id, item: { id: line.item.id }, quantity: 2 };
      });
      const update = (method: object) => {
        const methods = [{ type: "shipping", line_item_ids, ...method }];
        const buyer = { first_name: "Ada", last_name: "Love", email: "ada@example.com" };
        return use(
          "checkout",
          "update",
          id,
          ...send({ line_items: lines, buyer, fulfillment: { methods } }),
        );
      };
      const { fulfillment } = await update({ destinations: [ADDRESS] });
      const [{ destinations, groups: offered }] = fulfillment.methods;
      expect(offered[0].options).toMatchObject([{ id: FLAT_RATE }]);
      const groups = [{ id: offered[0].id, selected_option_id: FLAT_RATE }];
      const ready = await update({ destinations, groups });
      const total = ready.totals.find(({ type }: { readonly type: string }) => type === "total");
      // 4.90 for the parcel, and 19 % of it.
      expect(total).toMatchObject({ amount: 2 * CUP.minor + 583 });
    });
  });
});
