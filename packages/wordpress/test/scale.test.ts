import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ServingGatehouse, serve } from "../../../test/gatehouse-process.ts";
import { until } from "../../edge/test/harness.ts";
import { cleanUp, freshEnvironment, OPERATOR_TOKEN } from "../../server/test/harness.ts";
import { send } from "../../server/test/http-client.ts";
import type { Shop } from "../../server/test/mandates/submitting.ts";
import { lines } from "../../server/test/ucp/buying.ts";
import { Platform } from "../../server/test/ucp/platform.ts";
import { AT_ONCE, runAtOnce } from "./at-once.ts";
import type { Json } from "./connector-shop.ts";
import { connectCode, newShop, openForAgents } from "./market.ts";
import { missing, startWordPress, type WordPress } from "./wordpress.ts";

/** A sample in the release tier; `npm run test:long -- wordpress-scale` asks for the ten thousand. */
const PRODUCTS = Number(process.env.SHOP_PRODUCTS ?? 200);
const BEFORE_MS_MAX = 600_000 + 120 * PRODUCTS;
/** What the list may need beyond what WooCommerce needs to start. */
const PHP_MB_MAX = 48;
const GATEHOUSE_MB_MAX = 400;
const VISIBLE_MS_MAX = 10_000;
const QUOTES = 20;

const MB = 2 ** 20;
const half = (times: readonly number[]) =>
  Math.round([...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0);

describe.skipIf(missing !== undefined)(`a shop with ${PRODUCTS} products`, () => {
  const figures: string[] = [];
  /** For the reader of the run, and for the list of long runs. */
  const figure = (text: string) => {
    console.log(text);
    figures.push(text);
  };
  let gatehouse: ServingGatehouse;
  let platform: Platform;
  let wordpress: WordPress;
  let shop: Shop;

  beforeAll(async () => {
    platform = await Platform.start();
    wordpress = await startWordPress(() => AT_ONCE, { live: true });
    const made = await wordpress.evaluateFile("many-products.php", PRODUCTS);
    expect(made.problem).toBe("");
    expect(made.count).toBeGreaterThan(PRODUCTS);
    const domain = `localhost:${wordpress.port}`;
    const env = await freshEnvironment("sqlite");
    gatehouse = await serve({ ...env, GATEHOUSE_FETCH_ALLOW: `${domain},${platform.host}` });
    const admin = (method: string, path: string, body?: unknown) =>
      send(gatehouse.url + path, {
        method,
        headers: {
          authorization: `Bearer ${OPERATOR_TOKEN}`,
          "content-type": "application/json",
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    shop = await newShop({ admin }, domain);
    await openForAgents(shop);
  }, BEFORE_MS_MAX);
  afterAll(async () => {
    const { SHOP_FIGURES } = process.env;
    if (SHOP_FIGURES !== undefined) {
      mkdirSync(dirname(SHOP_FIGURES), { recursive: true });
      writeFileSync(SHOP_FIGURES, figures.join("; "));
    }
    platform?.stop();
    await wordpress?.stop();
    await gatehouse?.stop();
    await cleanUp();
  });

  const ucp = (path: string, body: unknown) =>
    platform.call(`${gatehouse.url}/v1/ucp/${shop.site_key_hash}${path}`, body, {
      sign: true,
      headers: { "idempotency-key": randomUUID() },
    });
  const peakMb = () => {
    const status = readFileSync(`/proc/${gatehouse.child.pid}/status`, "utf8");
    return Math.round(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024);
  };
  const php = (code: string): Promise<Json> => wordpress.evaluate(code);
  const listed = async () => (await shop.admin("GET", "/shop-connection")).body.products.listed;
  const some = (count: number): Promise<string[]> =>
    php(
      `echo json_encode( array_map( fn( $p ) => (string) $p->get_id(), wc_get_products( array( 'limit' => ${count}, 'type' => 'simple', 'stock_status' => 'instock', 'virtual' => false, 'orderby' => 'ID', 'order' => 'DESC' ) ) ) );`,
    );

  test(
    "sends all of them within a bound of memory on both sides",
    async () => {
      const said = await wordpress.command("connect", {}, await connectCode(shop, gatehouse.url));
      expect(said).toContain("Success: Connected");
      const [began, idle] = [Date.now(), peakMb()];
      const { problem, mb, count } = await php(`$before = memory_get_usage();
        Gatehouse\\WooCommerce\\Full_Sync::start();
        $problem = Gatehouse\\WooCommerce\\Full_Sync::send( PHP_INT_MAX );
        echo json_encode( array( 'problem' => $problem, 'mb' => round( ( memory_get_peak_usage() - $before ) / ${MB} ), 'count' => (int) Gatehouse\\Status::all()['synced'] ) );`);
      const seconds = ((Date.now() - began) / 1000).toFixed(1);
      expect([problem, await listed()]).toEqual(["", count]);
      expect(count).toBeGreaterThanOrEqual(PRODUCTS);
      figure(
        `${count} products in ${seconds} s; PHP ${mb} MB above its start, Gatehouse ${peakMb()} MB at most (${idle} MB before)`,
      );
      expect(mb).toBeLessThan(PHP_MB_MAX);
      expect(peakMb()).toBeLessThan(GATEHOUSE_MB_MAX);
    },
    BEFORE_MS_MAX,
  );

  test("shows a change to agents within ten seconds, while people visit the shop", async () => {
    const [id = ""] = await some(1);
    const title = `Midnight kettle ${id}`;
    const began = Date.now();
    // In the shop's own server, as its owner does it.
    const change = `$p = wc_get_product( ${id} ); $p->set_name( '${title}' ); $p->save(); echo 1;`;
    await runAtOnce(wordpress.port, change);
    await until(async () => {
      await fetch(`${wordpress.url}/?s=kettle`);
      const { body } = await ucp("/catalog/search", { query: title });
      return body.products?.some((one: Json) => one.id === id) ? true : undefined;
    });
    const ms = Date.now() - began;
    figure(`a change was visible to agents after ${(ms / 1000).toFixed(1)} s`);
    expect(ms).toBeLessThan(VISIBLE_MS_MAX);
  }, 120_000);

  test("answers quotes from the shop, and sooner from what it keeps", async () => {
    const asked = { live: [] as number[], kept: [] as number[] };
    for (const id of await some(QUOTES)) {
      for (const which of ["live", "kept"] as const) {
        const began = performance.now();
        const { status } = await ucp("/checkout-sessions", lines([id, 1]));
        asked[which].push(performance.now() - began);
        expect(status).toBe(201);
      }
    }
    figure(
      `a checkout took ${half(asked.live)} ms with a live quote and ${half(asked.kept)} ms with a kept one (median of ${asked.live.length})`,
    );
    expect(half(asked.kept)).toBeLessThan(half(asked.live));
  });
});
