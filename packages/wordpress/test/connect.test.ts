import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  cleanUp,
  createSite,
  freshEnvironment,
  startServer,
  type TestServer,
} from "../../server/test/harness.ts";
import { browser, nonceOf, PAGE } from "./browser.ts";
import { missing, startWordPress, type WordPress } from "./wordpress.ts";

const FORMS = ["connect_code", "connect_there", "verify", "sync", "disconnect"];
const POST = "/wp-admin/admin-post.php";

/** WooCommerce keeps a version that is defined before it loads. */
const OLD_WOOCOMMERCE =
  "if ( file_exists( KIT_DIR . '/old-woocommerce' ) ) { define( 'WC_VERSION', '8.1.3' ); }";
/** Keeps every signed message of the plugin, as it was sent. */
const KEEP_MESSAGES = `add_action( 'http_api_debug', static function ( $answer, $context, $client, $sent, $url ) {
  if ( isset( $sent['headers']['webhook-signature'] ) ) { file_put_contents( KIT_DIR . '/sent-messages', wp_json_encode( array( 'url' => $url, 'headers' => $sent['headers'], 'body' => $sent['body'] ) ) . "\\n", FILE_APPEND ); }
}, 10, 5 );`;
const TOO_OLD =
  "Agents cannot buy, because this site has WooCommerce 8.1.3. Update WooCommerce to version 8.2 or later.";

const encoded = (value: unknown) =>
  `ghc_${Buffer.from(JSON.stringify(value)).toString("base64url")}`;

describe.skipIf(missing !== undefined)("a shop that is connected with a real Gatehouse", () => {
  let server: TestServer;
  let wordpress: WordPress;
  let owner: ReturnType<typeof browser>;
  // biome-ignore lint/suspicious/noExplicitAny: what the admin interface answers
  let site: any;
  beforeAll(async () => {
    wordpress = await startWordPress(() => `${OLD_WOOCOMMERCE}\n${KEEP_MESSAGES}`);
    const domain = `localhost:${wordpress.port}`;
    const env = { ...(await freshEnvironment("sqlite")), GATEHOUSE_FETCH_ALLOW: domain };
    server = await startServer(env);
    site = await createSite(server, domain, false);
    owner = browser(wordpress.url);
    await owner.signIn(wordpress.admin);
  });
  afterAll(async () => {
    await wordpress?.stop();
    await cleanUp();
  });

  const admin = (method: string, path: string, body?: unknown) =>
    server.admin(method, `/v1/admin/sites/${site.site_key_hash}${path}`, body);
  const newCode = async (body: object = {}) =>
    (await admin("POST", "/shop-connection/codes", body)).body;
  const post = (to: string, body: object) =>
    fetch(to, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const products = async () => (await admin("GET", "/products?limit=200")).body.items;
  const shown = async (path = PAGE) => (await owner.send(path)).text;
  /** Sends a form of the settings page, and returns what the page says then. */
  const submit = async (action: string, fields: Record<string, string> = {}) => {
    const _wpnonce = nonceOf(await shown(), action);
    const answer = await owner.send(POST, { action: `gatehouse_${action}`, _wpnonce, ...fields });
    return { ...answer, text: await shown(`${PAGE}&settings-updated=true`) };
  };

  test("refuses codes that are none, and those that lead to an address without TLS", async () => {
    const codes = [
      "",
      "ghc_",
      "ghc_!!!",
      encoded("x"),
      encoded({ url: "https://gate.example.com" }),
      ...[
        "http://gate.example.com",
        "javascript:alert(1)",
        "https://a@b.example",
        "https://a b/",
      ].map((url) => encoded({ url, code: "code-of-the-tests" })),
      encoded({ url: server.url, code: "line\nbreak" }),
    ];
    for (const code of codes) {
      const answer = await wordpress.command("connect", {}, code);
      expect([code, answer]).toEqual([code, expect.stringContaining("This code cannot be used.")]);
    }
    const unknown = await wordpress.command(
      "connect",
      {},
      encoded({ url: server.url, code: "unknown-code" }),
    );
    expect(unknown).toContain("Error: Gatehouse refused the connection: The code is not valid.");
    const nobody = encoded({ url: wordpress.url, code: "code-of-the-tests" });
    expect(await wordpress.command("connect", {}, nobody)).toContain("There is no Gatehouse");
    expect(await wordpress.command("status")).toBe("Not connected.\n");
  });

  test("connects with the code of the console, and is verified at once", async () => {
    const { connect_code } = await newCode();
    const { text } = await submit("connect_code", { connect_code });
    expect(text).toContain(`Connected with ${server.url}. Your domain is verified.`);
    expect(text).toContain("Your products are being sent in the background.");
    expect(text).not.toContain("Background work has not run");
    expect(text).not.toContain(connect_code);
    const { secret } = await wordpress.evaluate(
      "echo json_encode( array( 'secret' => Gatehouse\\Settings::current()->connection_secret() ) );",
    );
    expect(secret).toMatch(/^whsec_/);
    expect(text).not.toContain(secret);
    // What every page loads, and what an object cache keeps, has no secret in it.
    const loaded: string = await wordpress.evaluate(
      "echo json_encode( implode( ' ', wp_load_alloptions( true ) ) );",
    );
    expect(loaded).toContain(site.site_key);
    expect(loaded).not.toContain(secret);
    expect(loaded).not.toMatch(/ghe_[\w-]{20}/);
    expect((await admin("GET", "/shop-connection")).body).toMatchObject({
      system: "WooCommerce 10.2.4",
      sells: true,
      endpoint: `${wordpress.url}/wp-json/gatehouse/v1/connector`,
      cart_link: `${wordpress.url}/checkout-link/?products={items}&coupon={coupon}`,
    });
    expect((await fetch(`${wordpress.url}/.well-known/agent-card.json`)).status).toBe(200);
    expect(await wordpress.command("connect", {}, connect_code)).toContain(
      "The code is not valid.",
    );
    expect((await admin("GET", "/shop-connection")).status).toBe(200);
  });

  test("proves to nobody that it is connecting, unless it is", async () => {
    const endpoint = `${wordpress.url}/wp-json/gatehouse/v1/connector`;
    const { code } = await newCode();
    // Somebody who has seen the code, and sends what the shop would send.
    const challenge = "c".repeat(43);
    const connecting = { type: "connect", code, challenge, endpoint, system: "Thief 1" };
    const stolen = await post(`${server.url}/v1/connections`, connecting);
    expect([stolen.status, await stolen.text()]).toEqual([
      400,
      expect.stringContaining("did not prove that it is connecting"),
    ]);
    expect((await post(endpoint, { type: "proof", challenge })).status).toBe(401);
    const began = await wordpress.evaluate(
      "echo json_encode( array( Gatehouse\\Connect_Proof::begin() ) );",
    );
    const [own] = began;
    expect((await post(endpoint, { type: "proof", challenge })).status).toBe(401);
    const proof = await (await post(endpoint, { type: "proof", challenge: own })).json();
    expect(proof).toEqual({ type: "proof.answer", proof: expect.stringMatching(/^[\w-]{43}$/) });
    await wordpress.evaluate(
      `$kept = get_option( 'gatehouse_proof' ); $kept['until'] = time() - 1; update_option( 'gatehouse_proof', $kept ); echo 1;`,
    );
    expect((await post(endpoint, { type: "proof", challenge: own })).status).toBe(401);
    await wordpress.evaluate("Gatehouse\\Connect_Proof::end(); echo 1;");
    expect((await admin("GET", "/shop-connection")).body.system).toBe("WooCommerce 10.2.4");
  });

  test("sends its products, and changes of them later", async () => {
    await wordpress.work("gatehouse_full_sync");
    const listed = await products();
    expect(
      listed.find(({ title }: { title: string }) => title === "Porcelain cup No. 2"),
    ).toMatchObject({
      price: { minor: 472, currency: "EUR" },
      quantity: 100,
    });
    const page = await shown();
    expect(page).toContain(`Listed in Gatehouse: ${listed.length}, paused: 0.`);
    expect(page).toContain(`, ${listed.length} products.`);
    const ids =
      await wordpress.evaluate(`$p = wc_get_product( wc_get_product_id_by_sku( 'SHOP-002' ) ); $p->set_sale_price( '3.99' ); $p->set_stock_quantity( 9 ); $p->save();
      $gone = wc_get_product_id_by_sku( 'SHOP-001' ); wp_trash_post( $gone ); echo json_encode( array( $p->get_id(), $gone ) );`);
    expect((await wordpress.cron()).failed).toBe(0);
    const after = new Map((await products()).map((one: { id: string }) => [one.id, one]));
    expect(after.get(String(ids[0]))).toMatchObject({ price: { minor: 399 }, quantity: 9 });
    expect(after.has(String(ids[1]))).toBe(false);
    await submit("sync");
    expect(await shown()).toContain("The full list is being sent.");
    expect((await wordpress.cron()).failed).toBe(0);
    expect(await shown()).not.toContain("The full list is being sent.");
    expect((await products()).length).toBe(listed.length - 1);
  });

  test("says what is missing in the settings and in Site Health, and saves options", async () => {
    const page = await shown();
    expect(page).toContain("Agents cannot buy yet: ");
    expect(page).toContain(`href="${server.url}/console"`);
    const health = await wordpress.evaluate("echo json_encode( Gatehouse\\Site_Health::run() );");
    expect(health.status).toBe("recommended");
    expect(health.description).toContain("Agents cannot buy yet: ");
    const fields = { gatehouse: server.url, site_key: site.site_key, except: "", embed: "1" };
    const { text } = await submit("connect", { ...fields, edge_token: "", verification: "" });
    expect(text).toContain("Settings saved.");
    const kept = await wordpress.evaluate(
      "echo json_encode( array( Gatehouse\\Settings::current()->has_shop(), Gatehouse\\Settings::current()->capture ) );",
    );
    expect(kept).toEqual([true, false]);
  });

  test("refuses every form without its nonce, and people who may not manage options", async () => {
    await wordpress.evaluate("wp_create_user( 'reader', 'reader-of-the-tests' ); echo 1;");
    const reader = browser(wordpress.url);
    await reader.signIn({ log: "reader", pwd: "reader-of-the-tests" });
    const _wpnonce = nonceOf(await shown(), "refresh");
    for (const name of FORMS) {
      const action = `gatehouse_${name}`;
      for (const form of [{ action }, { action, _wpnonce }]) {
        expect([name, (await owner.send(POST, form)).status]).toEqual([name, 403]);
        expect([name, (await reader.send(POST, form)).status]).toEqual([name, 403]);
      }
    }
    expect((await admin("GET", "/shop-connection")).status).toBe(200);
  });

  test("goes to the console and back, and uses a code only with the state of this person", async () => {
    expect((await submit("disconnect")).text).toContain("Nothing has changed.");
    expect((await admin("GET", "/shop-connection")).status).toBe(200);
    expect(await shown()).toContain("Test orders are deleted, and their stock is returned.");
    await submit("disconnect", { confirm: "1" });
    const insecure = await submit("connect_there", { connect_there: "http://gate.example.com" });
    expect(insecure.text).toContain("It must begin with https://.");
    const plain = await submit("connect_there", { connect_there: "gate.example.com" });
    expect(plain.location).toMatch(/^https:\/\/gate\.example\.com\/console\/connect-shop/);
    const { location } = await submit("connect_there", { connect_there: `${server.url}/` });
    const asked = new URL(location);
    expect(`${asked.origin}${asked.pathname}`).toBe(`${server.url}/console/connect-shop`);
    expect(asked.searchParams.get("domain")).toBe(`localhost:${wordpress.port}`);
    const back = new URL(asked.searchParams.get("return") ?? "");
    expect(back.origin).toBe(wordpress.url);
    const challenge = asked.searchParams.get("challenge");
    expect(challenge).toMatch(/^[\w-]{43}$/);
    const { code } = await newCode({ challenge });
    const come = async (who: typeof owner, state: string) => {
      back.searchParams.set("code", code);
      back.searchParams.set("state", state);
      await who.send(`${back.pathname}${back.search}`);
      return (await who.send(`${PAGE}&settings-updated=true`)).text;
    };
    const state = asked.searchParams.get("state") ?? "";
    expect(await come(owner, "of-somebody-else")).toContain("The site was not connected.");
    await wordpress.evaluate(
      "wp_insert_user( array( 'user_login' => 'other', 'user_pass' => 'other-of-the-tests', 'role' => 'administrator' ) ); echo 1;",
    );
    const other = browser(wordpress.url);
    await other.signIn({ log: "other", pwd: "other-of-the-tests" });
    expect(await come(other, state)).toContain("The site was not connected.");
    expect((await admin("GET", "/shop-connection")).status).toBe(404);
    expect(await come(owner, state)).toContain(
      `Connected with ${server.url}. Your domain is verified.`,
    );
    expect(await come(owner, state)).toContain("The site was not connected.");
    expect((await admin("GET", "/shop-connection")).status).toBe(200);
  });

  test("is connected for documents and visits alone without WooCommerce, and sells when it comes back", async () => {
    const load = "require_once ABSPATH . 'wp-admin/includes/plugin.php';";
    const switchShop = (how: "activate_plugin" | "deactivate_plugins") =>
      wordpress.evaluate(`${load} ${how}( 'woocommerce/woocommerce.php' ); echo 1;`);
    await switchShop("deactivate_plugins");
    const { connect_code } = await newCode();
    await wordpress.command("connect", {}, connect_code);
    expect((await admin("GET", "/shop-connection")).body).toMatchObject({
      system: "WordPress 7.1",
      sells: false,
      cart_link: null,
    });
    expect(await wordpress.command("status")).not.toContain("WooCommerce is not active");
    expect(await wordpress.command("sync")).toContain("The shop is not connected.");
    const page = await shown();
    for (const words of ["Agents cannot buy", "WooCommerce orders", "Capture the payment when"]) {
      expect(page).not.toContain(words);
    }
    expect(page).toContain('<input type="hidden" name="capture" value="1">');
    expect((await fetch(`${wordpress.url}/agent`)).status).toBe(200);
    await switchShop("activate_plugin");
    await wordpress.background();
    expect((await admin("GET", "/shop-connection")).body).toMatchObject({ sells: true });
    await wordpress.work("gatehouse_full_sync");
    expect((await admin("GET", "/shop-connection")).body.products.listed).toBeGreaterThan(0);
    await switchShop("deactivate_plugins");
    expect(await wordpress.command("status")).toContain("WooCommerce is not active");
    await switchShop("activate_plugin");
  });

  test("sells nothing with a WooCommerce that is too old, says which version it needs, and sells when it has it", async () => {
    const old = join(wordpress.folder, "old-woocommerce");
    writeFileSync(old, "");
    await wordpress.background();
    const connection = async () => (await admin("GET", "/shop-connection")).body;
    expect(await connection()).toMatchObject({ system: "WooCommerce 8.1.3", sells: false });
    expect(await wordpress.command("status")).toContain(TOO_OLD);
    for (const path of [PAGE, "/wp-admin/plugins.php"])
      expect([path, await shown(path)]).toEqual([path, expect.stringContaining(TOO_OLD)]);
    for (const path of ["/wp-admin/options-general.php", "/wp-admin/index.php"])
      expect([path, await shown(path)]).toEqual([path, expect.not.stringContaining(TOO_OLD)]);
    const health = await wordpress.evaluate("echo json_encode( Gatehouse\\Site_Health::run() );");
    expect(health.description).toContain(TOO_OLD);
    // Nothing that cannot be sold is sent, and nobody connects a shop that cannot answer.
    expect(await wordpress.command("sync")).toContain("The shop is not connected.");
    await submit("disconnect", { confirm: "1" });
    expect(await shown()).toContain(TOO_OLD);
    const { connect_code } = await newCode();
    expect((await submit("connect_code", { connect_code })).text).not.toContain(
      "Your products are being sent",
    );
    expect(await connection()).toMatchObject({ system: "WooCommerce 8.1.3", sells: false });
    rmSync(old);
    await wordpress.background();
    expect(await connection()).toMatchObject({ system: "WooCommerce 10.2.4", sells: true });
    await wordpress.work("gatehouse_full_sync");
    expect((await connection()).products.listed).toBeGreaterThan(0);
    expect(await wordpress.command("status")).not.toContain(TOO_OLD);
    expect(await shown("/wp-admin/plugins.php")).not.toContain(TOO_OLD);
  });

  test("says so when Gatehouse has ended the connection, and tells Gatehouse when it ends it", async () => {
    await admin("DELETE", "/shop-connection");
    await wordpress.evaluate("Gatehouse\\Connection_Status::clear(); echo 1;");
    expect(await shown()).toContain("connect again with a new code.");
    await wordpress.command("connect", {}, (await newCode()).connect_code);
    expect((await admin("GET", "/shop-connection")).status).toBe(200);
    expect(await wordpress.command("disconnect")).toContain("Disconnected.");
    expect((await admin("GET", "/shop-connection")).status).toBe(404);
    const left = await wordpress.evaluate(
      "echo json_encode( as_get_scheduled_actions( array( 'group' => 'gatehouse_sending', 'status' => 'pending' ), 'ids' ) );",
    );
    expect(left).toEqual([]);
    expect(wordpress.complaints()).toEqual([]);
  });

  test("is not disconnected or changed by messages that it sent before it was connected again", async () => {
    await wordpress.command("connect", {}, (await newCode()).connect_code);
    await wordpress.work("gatehouse_full_sync");
    await wordpress.command("disconnect");
    await wordpress.command("connect", {}, (await newCode()).connect_code);
    await wordpress.work("gatehouse_full_sync");
    const { seen_at: _, ...connection } = (await admin("GET", "/shop-connection")).body;
    const before = await products();
    expect(before.length).toBeGreaterThan(0);
    const kept = await wordpress.evaluate(
      "echo json_encode( array( Gatehouse\\Settings::current()->connection_id ) );",
    );
    const messages = readFileSync(join(wordpress.folder, "sent-messages"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
      .filter(({ url }) => !url.includes(kept[0]));
    const isDisconnect = ({ body }: { readonly body: string }) =>
      body.includes('"disconnect":true');
    const isList = ({ url }: { readonly url: string }) => url.endsWith("/products");
    expect([messages.some(isDisconnect), messages.some(isList)]).toEqual([true, true]);
    for (const { url, headers, body } of messages) {
      for (const to of [url, url.replace(/con_[\w-]+/, kept[0])]) {
        const { status } = await fetch(to, { method: "POST", headers, body });
        expect([to, body.slice(0, 60), status]).toEqual([to, body.slice(0, 60), 401]);
      }
    }
    expect((await admin("GET", "/shop-connection")).body).toMatchObject(connection);
    expect(await products()).toEqual(before);
    expect(await wordpress.command("status")).toContain("Connected");
  });
});
