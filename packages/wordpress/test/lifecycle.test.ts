import { execFileSync, spawnSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packPlugin, pluginTables, pluginZip } from "../../../scripts/build-wordpress.mjs";
import { pluginPot } from "../../../scripts/wordpress-pot.mjs";
import {
  cleanUp,
  createSite,
  freshEnvironment,
  startServer,
  type TestServer,
  temporaryFolder,
} from "../../server/test/harness.ts";
import { browser, nonceOf, PAGE } from "./browser.ts";
import { missing, php, plugin, startWordPress, type WordPress } from "./wordpress.ts";

/** They take ten seconds, and minutes while other tests run. */
const SNIFFS_MS = 300_000;
const standards = process.env.PHPCS_STANDARDS;
/** PHP_CodeSniffer 3.7 or later, or nothing. */
const phpcs = [process.env.PHPCS ?? "phpcs"].find(
  (command) => spawnSync(command, ["--version"]).status === 0,
);
if (phpcs === undefined) console.warn("The sniffs are skipped: phpcs is not installed.");

/** What the sniffs find. */
function sniff(options: readonly string[]): string {
  const args = ["-q", "--report=emacs", ...options];
  return spawnSync(phpcs ?? "", args, { cwd: join(plugin, ".."), encoding: "utf8" }).stdout;
}

/** Every file below a folder with its bytes, by path. */
const filesIn = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => lstatSync(join(folder, name)).isFile())
      .map((name) => [name, readFileSync(join(folder, name), "base64")]),
  );
const LICENSE = readFileSync(join(plugin, "../../../LICENSE"), "base64");
const PYTHON = spawnSync("python3", ["-c", "import zipfile"]).status === 0;

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

  const { version } = JSON.parse(readFileSync(join(plugin, "../package.json"), "utf8"));
  const named = (file: string, pattern: RegExp) =>
    pattern.exec(readFileSync(join(plugin, file), "utf8"))?.[1];

  test("have all texts for translators: run `npm run build:wordpress`", () => {
    const pot = pluginPot(plugin, version);
    expect(readFileSync(join(plugin, "languages/gatehouse.pot"), "utf8")).toBe(pot);
    expect(named("gatehouse.php", /Domain Path: +(\S+)/)).toBe("/languages");
    expect(pot).toContain("\n#. %s: number of changes\n");
    expect(pot).toMatch(
      /\nmsgid "%s change of an order .+"\nmsgid_plural "%s changes .+"\nmsgstr\[0\]/,
    );
  });

  test("refuse texts that translators could not be given", () => {
    const folder = mkdtempSync(join(tmpdir(), "gatehouse-texts-"));
    const refused = {
      "__( $text, 'gatehouse' )": "as they are",
      "__( 'Text', 'other' )": "domain",
    };
    for (const [call, reason] of Object.entries(refused)) {
      writeFileSync(join(folder, "a.php"), `<?php echo ${call};`);
      expect(() => pluginPot(folder, version)).toThrow(reason);
    }
    rmSync(folder, { recursive: true });
  });

  test("name the versions of WordPress and WooCommerce that they need, the same everywhere", () => {
    const least = named("includes/woocommerce/class-shop.php", /VERSION_LEAST = '(\S+)'/);
    const guide = readFileSync(join(plugin, "../../../docs/guide/wordpress.md"), "utf8");
    expect(least).toBeDefined();
    expect(named("gatehouse.php", /WC requires at least: (\S+)/)).toBe(least);
    const tested = named("gatehouse.php", /WC tested up to: +(\S+)/);
    expect(guide).toContain(`WooCommerce ${tested}.`);
    expect(named("readme.txt", /WooCommerce (\S+) or later\. It is tested with/)).toBe(least);
    expect(named("readme.txt", /tested with WooCommerce (\S+)\.\n/)).toBe(tested);
    expect(guide).toContain(`WooCommerce ${least} or later`);
    expect(guide).toContain(`WordPress ${named("readme.txt", /Tested up to: (\S+)/)},`);
  });

  test.skipIf(phpcs === undefined)(
    "pass the sniffs of PHP_CodeSniffer",
    () => {
      expect(sniff([])).toBe("");
    },
    SNIFFS_MS,
  );

  // PHPCS_STANDARDS: the folders of WordPress-Coding-Standards, PHPCSUtils and PHPCSExtra, separated by commas.
  test.skipIf(phpcs === undefined || standards === undefined)(
    "pass the sniffs of the WordPress Coding Standards",
    () => {
      const paths = ["--runtime-set", "installed_paths", standards ?? ""];
      expect(sniff([...paths, "--standard=phpcs-wordpress.xml"])).toBe("");
    },
    SNIFFS_MS,
  );

  test("make the same zip twice", () => {
    const zip = pluginZip();
    expect(zip.equals(pluginZip())).toBe(true);
    expect(zip.includes("gatehouse/readme.txt")).toBe(true);
    expect(zip.includes("gatehouse/LICENSE")).toBe(true);
  });
});

describe("the zip of the plugin", () => {
  test.skipIf(!PYTHON)("is unpacked by another program to exactly the plugin's files", () => {
    const folder = temporaryFolder();
    const zip = join(folder, packPlugin(folder));
    // Also compares the checksum of each file.
    const code =
      "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; z.extractall(sys.argv[2])";
    execFileSync("python3", ["-c", code, zip, join(folder, "unpacked")]);
    expect(readdirSync(join(folder, "unpacked"))).toEqual(["gatehouse"]);
    expect(filesIn(join(folder, "unpacked/gatehouse"))).toEqual({ ...filesIn(plugin), LICENSE });
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
      $metas   = $wpdb->get_col( "SELECT meta_key FROM $wpdb->usermeta WHERE meta_key LIKE '%gatehouse%'" );
      $actions = $wpdb->get_col( "SELECT hook FROM {$wpdb->prefix}actionscheduler_actions WHERE hook LIKE '%gatehouse%'" );
      $groups  = $wpdb->get_col( "SELECT slug FROM {$wpdb->prefix}actionscheduler_groups WHERE slug LIKE '%gatehouse%'" );
      echo json_encode( array_map( 'count', compact( 'options', 'tables', 'events', 'metas', 'actions', 'groups' ) ) );`);
  const NOTHING = { options: 0, tables: 0, events: 0, metas: 0, actions: 0, groups: 0 };
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
      "echo json_encode( Gatehouse\\Settings::current()->edge_token() );",
    );
    expect(kept).toBe(edgeToken);
    for (const action of ["refresh", "disconnect"]) {
      const _wpnonce = nonceOf(shown, action);
      const form = { action: `gatehouse_${action}`, _wpnonce, confirm: "1" };
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

  // The file wp-cli.phar of WP-CLI, which is in no package of Debian or npm.
  test.skipIf(process.env.WP_CLI === undefined)("is connected and disconnected by WP-CLI", () => {
    const wp = (...words: string[]) => {
      const ini = join(wordpress.folder, "php.ini");
      const path = `--path=${join(wordpress.folder, "www")}`;
      const args = ["-c", ini, process.env.WP_CLI ?? "", "--allow-root", path, ...words];
      const { status, stdout, stderr } = spawnSync("php", args, { encoding: "utf8" });
      return [status, stdout + stderr];
    };
    const said = (words: string) => expect.stringContaining(words);
    const values = [`--gatehouse=${server.url}`, `--site-key=${site.site_key}`];
    expect(wp("gatehouse", "disconnect")).toEqual([0, said("Success: Disconnected.")]);
    expect(wp("gatehouse", "status")).toEqual([0, "Not connected.\n"]);
    expect(wp("gatehouse", "sync")).toEqual([1, said("Error: The shop is not connected.")]);
    expect(wp("gatehouse", "connect", "ghc_x")).toEqual([1, said("This code cannot be used.")]);
    expect(wp("gatehouse", "connect", "--bogus")).toEqual([1, said("unknown --bogus parameter")]);
    const options = [`--edge-token=${edgeToken}`, "--no-embed", "--except=/llms.txt,/agent"];
    const connected = wp("gatehouse", "connect", ...values, ...options);
    expect(connected).toEqual([0, "Success: Connected.\n"]);
    expect(wp("eval", "echo json_encode( Gatehouse\\Settings::current() );")).toEqual([
      0,
      said('"except":["\\/llms.txt","\\/agent"],"embed":false,"agents_only":true'),
    ]);
    expect(wp("gatehouse", "status")).toEqual([0, said("Your site serves this path itself.")]);
    expect(wp("help", "gatehouse", "connect")).toEqual([0, said("[--[no-]capture]")]);
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
  });

  test("leaves nothing of a shop behind when it is deleted while Gatehouse is down", async () => {
    const load = "require_once ABSPATH . 'wp-admin/includes/plugin.php';";
    for (const name of ["woocommerce/woocommerce.php", "gatehouse/gatehouse.php"])
      await wordpress.evaluate(`${load} activate_plugin( '${name}' ); echo 1;`);
    await wordpress.evaluate(`
      Gatehouse\\Storage::create();
      Gatehouse\\Settings::read( array(
        'gatehouse' => 'http://localhost:1', 'site_key' => 'us_' . str_repeat( 'A', 43 ),
        'connection_id' => 'con_1', 'connection_secret' => 'whsec_' . base64_encode( random_bytes( 32 ) ),
      ) )->save();
      Gatehouse\\Connection::resume();
      Gatehouse\\WooCommerce\\Shop_Connection::resume( Gatehouse\\Settings::current() );
      as_schedule_single_action( time() + 600, Gatehouse\\WooCommerce\\Shop::REMOVE_HOOK, array(), 'gatehouse' );
      Gatehouse\\Connect_Return::begin( 'https://gate.example.com' );
      wp_insert_post( array( 'post_title' => 'Not of the plugin', 'post_status' => 'publish' ) );
      echo 1;`);
    // Action Scheduler keeps rows of what has run and failed, with a log.
    await wordpress.work("gatehouse_full_sync");
    const before = await left();
    expect([before.tables, before.metas, before.groups]).toEqual([5, 1, 2]);
    expect(before.actions).toBeGreaterThanOrEqual(4);
    const others = () =>
      wordpress.evaluate(
        `global $wpdb; echo json_encode( array( $wpdb->get_col( "SELECT hook FROM {$wpdb->prefix}actionscheduler_actions WHERE hook NOT LIKE '%gatehouse%' AND status = 'pending' ORDER BY hook" ), (int) $wpdb->get_var( "SELECT COUNT(*) FROM {$wpdb->prefix}actionscheduler_logs WHERE action_id NOT IN ( SELECT action_id FROM {$wpdb->prefix}actionscheduler_actions )" ) ) );`,
      );
    const [hooks] = await others();
    await wordpress.evaluate(
      `${load} deactivate_plugins( 'gatehouse/gatehouse.php' ); uninstall_plugin( 'gatehouse/gatehouse.php' ); echo 1;`,
    );
    expect(await left()).toEqual(NOTHING);
    // What belongs to others stays, and no log is left without its work. Action Scheduler may add work of its own.
    expect(await others()).toEqual([expect.arrayContaining(hooks), 0]);
    expect(wordpress.complaints()).toEqual([]);
  });

  test("speaks the language of the site, with its plural forms", async () => {
    const load = "require_once ABSPATH . 'wp-admin/includes/plugin.php';";
    await wordpress.evaluate(`${load} activate_plugin( 'gatehouse/gatehouse.php' ); echo 1;`);
    const folder = join(wordpress.folder, "www/wp-content/languages/plugins");
    const [one, many] = [
      "%s change of an order waits to be sent to Gatehouse.",
      "%s changes of orders wait to be sent to Gatehouse.",
    ];
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, "../de_DE.l10n.php"),
      "<?php return array( 'messages' => array() );",
    );
    await wordpress.evaluate("update_option( 'WPLANG', 'de_DE' ); echo 1;");
    // Without a translation of wordpress.org, WordPress looks into the plugin.
    const place = `echo json_encode( $GLOBALS['wp_textdomain_registry']->get( 'gatehouse', 'de_DE' ) );`;
    expect(await wordpress.evaluate(place)).toMatch(/\/plugins\/gatehouse\/languages\/$/);
    const texts = `'Disconnected.' => 'Getrennt.', '${one}' => "%s Änderung wartet.\\0%s Änderungen warten."`;
    writeFileSync(
      join(folder, "gatehouse-de_DE.l10n.php"),
      `<?php return array( 'plural-forms' => 'nplurals=2; plural=(n != 1);', 'messages' => array( ${texts} ) );`,
    );
    const said = await wordpress.evaluate(
      `echo json_encode( array( Gatehouse\\Connection::farewell( true ), _n( '${one}', '${many}', 1, 'gatehouse' ), _n( '${one}', '${many}', 3, 'gatehouse' ) ) );`,
    );
    expect(said).toEqual(["Getrennt.", "%s Änderung wartet.", "%s Änderungen warten."]);
  });

  test("is installed by WordPress from the zip of a release, and stays connected when it is replaced", async () => {
    // Until now the folder was a link to the source.
    const installed = join(wordpress.folder, "www/wp-content/plugins/gatehouse");
    unlinkSync(installed);
    const zip = join(wordpress.folder, packPlugin(wordpress.folder));
    const install = (options: string) =>
      wordpress.evaluate(`require_once ABSPATH . 'wp-admin/includes/admin.php';
        require_once ABSPATH . 'wp-admin/includes/class-wp-upgrader.php';
        $upgrader = new Plugin_Upgrader( new WP_Ajax_Upgrader_Skin() );
        $result   = $upgrader->install( '${zip}', array( ${options} ) );
        echo json_encode( array( 'installed' => $result, 'file' => $upgrader->plugin_info() ) );`);
    const file = "gatehouse/gatehouse.php";
    expect(await install("")).toEqual({ installed: true, file });
    expect(filesIn(installed)).toEqual({ ...filesIn(plugin), LICENSE });
    const { version } = JSON.parse(readFileSync(join(plugin, "../package.json"), "utf8"));
    const activate = `require_once ABSPATH . 'wp-admin/includes/plugin.php'; activate_plugin( '${file}' );`;
    const seen = `echo json_encode( get_plugin_data( WP_PLUGIN_DIR . '/${file}' )['Version'] );`;
    expect(await wordpress.evaluate(`${activate} ${seen}`)).toBe(version);

    await connect();
    expect((await fetch(`${wordpress.url}/llms.txt`)).status).toBe(200);
    expect(await install("'overwrite_package' => true")).toEqual({ installed: true, file });
    expect(await wordpress.command("status")).toContain(`Connected with ${server.url}`);
    expect(wordpress.complaints()).toEqual([]);
  });

  test("leaves nothing behind on any site of a network when it is deleted", async () => {
    // Commands of this WordPress see a network of two sites from here on.
    await wordpress.evaluate(`require_once ABSPATH . 'wp-admin/includes/upgrade.php'; require_once ABSPATH . 'wp-admin/includes/network.php';
      foreach ( $wpdb->tables( 'ms_global' ) as $name => $table ) { $wpdb->$name = $table; }
      install_network(); echo json_encode( populate_network( 1, 'localhost', 'owner@example.test', 'Network', '/', false ) );`);
    const config = join(wordpress.folder, "www/wp-config.php");
    const network = `$_SERVER['HTTP_HOST'] = 'localhost';
      foreach ( array( 'MULTISITE' => true, 'SUBDOMAIN_INSTALL' => false, 'DOMAIN_CURRENT_SITE' => 'localhost', 'PATH_CURRENT_SITE' => '/', 'SITE_ID_CURRENT_SITE' => 1, 'BLOG_ID_CURRENT_SITE' => 1 ) as $name => $value ) { define( $name, $value ); }
      require_once ABSPATH . 'wp-settings.php';`;
    const before = readFileSync(config, "utf8");
    writeFileSync(config, before.replace("require_once ABSPATH . 'wp-settings.php';", network));
    const second = await wordpress.evaluate(
      "$id = wpmu_create_blog( 'localhost', '/two/', 'Two', 1 ); echo json_encode( is_multisite() ? $id : 0 );",
    );
    expect(second).toBe(2);
    const each = (code: string) =>
      wordpress.evaluate(
        `$seen = array(); foreach ( get_sites( array( 'fields' => 'ids' ) ) as $blog ) { switch_to_blog( $blog ); ${code} restore_current_blog(); } echo json_encode( $seen );`,
      );
    await each(`Gatehouse\\Storage::create(); Gatehouse\\Connection_Status::clear();
      Gatehouse\\Settings::read( array( 'gatehouse' => 'http://localhost:1', 'site_key' => 'us_' . str_repeat( 'A', 43 ) ) )->save(); Gatehouse\\Connection::resume();`);
    const kept = `$seen[] = array( count( $wpdb->get_col( "SELECT option_name FROM $wpdb->options WHERE option_name LIKE '%gatehouse%'" ) ), count( preg_grep( "~^{$wpdb->prefix}gatehouse_~", $wpdb->get_col( 'SHOW TABLES' ) ) ), (int) wp_next_scheduled( 'gatehouse_background' ) > 0 );`;
    // The first site also has what the tests before have left.
    const [older, added] = await each(kept);
    expect([older[0] >= 3, ...older.slice(1)]).toEqual([true, 5, true]);
    expect(added).toEqual([3, 5, true]);
    await wordpress.evaluate(
      "require_once ABSPATH . 'wp-admin/includes/plugin.php'; deactivate_plugins( 'gatehouse/gatehouse.php' ); uninstall_plugin( 'gatehouse/gatehouse.php' ); echo 1;",
    );
    expect(await each(kept)).toEqual([
      [0, 0, false],
      [0, 0, false],
    ]);
    expect(wordpress.complaints()).toEqual([]);
  });
});
