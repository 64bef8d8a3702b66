import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pluginTables, pluginZip } from "../../../scripts/build-wordpress.mjs";
import {
  cleanUp,
  createSite,
  freshEnvironment,
  startServer,
  type TestServer,
} from "../../server/test/harness.ts";
import { browser, nonceOf, PAGE } from "./browser.ts";
import { missing, php, plugin, startWordPress, type WordPress } from "./wordpress.ts";

describe("the plugin's files", () => {
  const names = readdirSync(plugin, { recursive: true, encoding: "utf8" });
  const sources = names.filter((name) => name.endsWith(".php"));

  test.skipIf(php === undefined)("are valid PHP", () => {
    for (const name of sources) {
      const answer = execFileSync("php", ["-l", join(plugin, name)], { encoding: "utf8" });
      expect(answer).toMatch(/^No syntax errors/);
    }
  });

  test("cannot be called directly, have strict types, and are not long", () => {
    for (const name of sources) {
      const text = readFileSync(join(plugin, name), "utf8");
      expect([name, /^declare\( strict_types=1 \);$/m.test(text)]).toEqual([name, true]);
      expect([name, /^defined\( '\w+' \) \|\| exit;$/m.test(text)]).toEqual([name, true]);
      expect([name, text.split("\n").length <= 300]).toEqual([name, true]);
    }
  });

  test("have the lists of the protocol package: run `npm run build:wordpress`", () => {
    expect(readFileSync(join(plugin, "includes/tables.php"), "utf8")).toBe(pluginTables());
  });

  test("name one version, which is the release's", () => {
    const { version } = JSON.parse(readFileSync(join(plugin, "../package.json"), "utf8"));
    const named = (file: string, pattern: RegExp) =>
      pattern.exec(readFileSync(join(plugin, file), "utf8"))?.[1];
    expect(named("gatehouse.php", /Version: +(\S+)/)).toBe(version);
    expect(named("includes/class-plugin.php", /VERSION = '(\S+)'/)).toBe(version);
    expect(named("readme.txt", /Stable tag: (\S+)/)).toBe(version);
  });

  test("make the same zip twice", () => {
    const zip = pluginZip();
    expect(zip.equals(pluginZip())).toBe(true);
    expect(zip.includes("gatehouse/readme.txt")).toBe(true);
    expect(zip.includes("gatehouse/LICENSE")).toBe(true);
  });
});

describe.skipIf(missing !== undefined)("the plugin in WordPress", () => {
  let server: TestServer;
  let wordpress: WordPress;
  // biome-ignore lint/suspicious/noExplicitAny: what the admin interface answers
  let site: any;
  let edgeToken = "";
  beforeAll(async () => {
    server = await startServer(await freshEnvironment("sqlite"));
    wordpress = await startWordPress();
    site = await createSite(server, `localhost:${wordpress.port}`);
    const path = `/v1/admin/sites/${site.site_key_hash}/edge-tokens`;
    edgeToken = (await server.admin("POST", path, { name: "WordPress" })).body.token;
  });
  afterAll(async () => {
    await wordpress?.stop();
    await cleanUp();
  });

  /** Everything of the plugin in the database: options, tables, scheduled events. */
  const left = () =>
    wordpress.evaluate(`global $wpdb;
      $options = $wpdb->get_col( "SELECT option_name FROM $wpdb->options WHERE option_name LIKE '%gatehouse%'" );
      $tables  = array_filter( $wpdb->get_col( 'SHOW TABLES' ), fn( $name ) => str_contains( $name, 'gatehouse' ) );
      $events  = array_filter( array_merge( ...array_map( 'array_keys', array_filter( _get_cron_array(), 'is_array' ) ) ), fn( $hook ) => str_contains( $hook, 'gatehouse' ) );
      echo json_encode( array( 'options' => count( $options ), 'tables' => count( $tables ), 'events' => count( $events ) ) );`);
  const NOTHING = { options: 0, tables: 0, events: 0 };
  const connect = () =>
    wordpress.command("connect", {
      gatehouse: server.url,
      "site-key": site.site_key,
      "edge-token": edgeToken,
    });

  test("is connected, refreshed and disconnected on its settings page", async () => {
    const owner = browser(wordpress.url);
    await owner.signIn(wordpress.admin);
    const empty = (await owner.send(PAGE)).text;
    expect(empty).toContain("Nothing is loaded or sent before you connect.");
    const entered = {
      action: "gatehouse_connect",
      _wpnonce: nonceOf(empty, "connect"),
      gatehouse: server.url,
      site_key: site.site_key,
      edge_token: edgeToken,
      verification: "",
      except: '/"><script>alert(1)</script>',
      embed: "1",
      agents_only: "1",
    };
    const wrong = { ...entered, site_key: "us_wrong", except: "" };
    expect((await owner.send("/wp-admin/admin-post.php", wrong)).status).toBe(302);
    const refused = (await owner.send(`${PAGE}&settings-updated=true`)).text;
    expect(refused).toContain("Enter the site key.");
    expect((await owner.send("/wp-admin/admin-post.php", entered)).status).toBe(302);
    const shown = (await owner.send(`${PAGE}&settings-updated=true`)).text;
    expect(shown).toContain("Connected.");
    expect(shown).not.toContain(edgeToken);
    expect(shown).not.toContain("<script>alert");
    expect(shown).toContain("/.well-known/agent-card.json</a>");
    const again = { ...entered, _wpnonce: nonceOf(shown, "connect"), edge_token: "", except: "" };
    await owner.send("/wp-admin/admin-post.php", again);
    const kept = await wordpress.evaluate(
      "echo json_encode( Gatehouse\\Settings::current()->edge_token );",
    );
    expect(kept).toBe(edgeToken);
    for (const action of ["refresh", "disconnect"]) {
      const form = { action: `gatehouse_${action}`, _wpnonce: nonceOf(shown, action) };
      expect((await owner.send("/wp-admin/admin-post.php", form)).status).toBe(302);
    }
    expect(await left()).toEqual(NOTHING);
  });

  test("refuses forms without a nonce, and people who may not manage options", async () => {
    await connect();
    const owner = browser(wordpress.url);
    await owner.signIn(wordpress.admin);
    const form = { action: "gatehouse_disconnect" };
    expect((await owner.send("/wp-admin/admin-post.php", form)).status).toBe(403);
    const shown = (await owner.send(PAGE)).text;
    const other = { ...form, _wpnonce: nonceOf(shown, "refresh") };
    expect((await owner.send("/wp-admin/admin-post.php", other)).status).toBe(403);
    await wordpress.evaluate("wp_create_user( 'reader', 'reader-of-the-tests' ); echo 1;");
    const reader = browser(wordpress.url);
    await reader.signIn({ log: "reader", pwd: "reader-of-the-tests" });
    expect((await reader.send(PAGE)).status).toBe(403);
    expect((await reader.send("/wp-admin/admin-post.php", form)).status).toBe(403);
    expect(await wordpress.command("status")).toContain(`Connected with ${server.url}`);
  });

  test("stops its work when it is deactivated, and goes on when it is activated again", async () => {
    await connect();
    expect(await left()).toMatchObject({ tables: 5, events: 1 });
    const load = "require_once ABSPATH . 'wp-admin/includes/plugin.php';";
    await wordpress.evaluate(`${load} deactivate_plugins( 'gatehouse/gatehouse.php' ); echo 1;`);
    expect(await left()).toMatchObject({ tables: 5, events: 0 });
    expect((await fetch(`${wordpress.url}/llms.txt`)).status).toBe(404);
    await wordpress.evaluate(`${load} activate_plugin( 'gatehouse/gatehouse.php' ); echo 1;`);
    expect(await left()).toMatchObject({ tables: 5, events: 1 });
    expect((await fetch(`${wordpress.url}/llms.txt`)).status).toBe(200);
  });

  test("works without WooCommerce", async () => {
    const load = "require_once ABSPATH . 'wp-admin/includes/plugin.php';";
    await wordpress.evaluate(
      `${load} deactivate_plugins( 'woocommerce/woocommerce.php' ); echo 1;`,
    );
    expect((await fetch(`${wordpress.url}/agent`)).status).toBe(200);
    expect(await (await fetch(wordpress.url)).text()).toContain(`${server.url}/embed.js`);
    expect(await wordpress.command("refresh")).toContain("Served.");
  });

  test("leaves nothing behind when it is deleted, and has caused no notice of PHP", async () => {
    const load = "require_once ABSPATH . 'wp-admin/includes/plugin.php';";
    await connect();
    await wordpress.evaluate(
      `${load} deactivate_plugins( 'gatehouse/gatehouse.php' ); uninstall_plugin( 'gatehouse/gatehouse.php' ); echo 1;`,
    );
    expect(await left()).toEqual(NOTHING);
    expect(wordpress.complaints()).toEqual([]);
  });
});
