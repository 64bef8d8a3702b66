import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { launchChromium } from "../../../test/chromium.ts";
import { browser, PAGE } from "./browser.ts";
import { type ConnectedShop, startConnectedShop } from "./connected-shop.ts";
import type { Message, Mode } from "./stand-in.ts";
import { missing, plugin } from "./wordpress.ts";

const WRONG_MODES: readonly Mode[] = ["unsigned", "forged", "old", "garbage", "huge", "redirect"];

const SOON = { timeout: 20_000 };

let shop: ConnectedShop;
let { gate, wordpress, php, sent, change } = {} as ConnectedShop;

beforeAll(async () => {
  if (missing !== undefined) return;
  shop = await startConnectedShop();
  ({ gate, wordpress, php, sent, change } = shop);
});
beforeEach(() => shop?.beHonest());
afterAll(() => shop?.stop());

/** What Gatehouse gets about products when the changes are sent. */
async function pushed() {
  await wordpress.work("gatehouse_push_products");
  const messages = sent("products");
  const products = messages.flatMap((one) => one.products);
  return {
    messages,
    product: (id: number | string) => products.findLast((one) => one.id === String(id)),
    removed: messages.flatMap((one) => one.removed.map(({ id }: Message) => Number(id))),
  };
}

describe.skipIf(missing !== undefined)("products of WooCommerce", () => {
  test("are sent as one full list after connecting, and every variation by itself", async () => {
    await wordpress.work("gatehouse_full_sync");
    const [list, ...more] = sent("products");
    expect([list.sync.part, list.sync.last, more]).toEqual([1, true, []]);
    const titles = list.products.map(({ title }: Message) => title);
    expect(titles).toContain("Green tea No. 4 - Small");
    expect(titles).not.toContain("Green tea No. 4");
    expect(list.products.find(({ title }: Message) => title === "Porcelain cup No. 2")).toEqual({
      id: expect.stringMatching(/^\d+$/),
      version: expect.any(Number),
      title: "Porcelain cup No. 2",
      description: "Porcelain cup, number 2.",
      price: "5.90",
      sale_price: "4.72",
      sku: "SHOP-002",
      category: "Cups",
      currency: "EUR",
      availability: "in_stock",
      quantity: 100,
    });
    const soldOut = list.products.find(({ title }: Message) => title === "Gift box No. 3");
    expect([soldOut.availability, soldOut.quantity]).toEqual(["out_of_stock", 0]);
    expect(await wordpress.command("status")).not.toContain("Products could not be sent");
  });

  test("are sent in parts that stay below the limit of a message", async () => {
    const before =
      await php(`global $wpdb; $all = wc_get_products( array( 'limit' => 20, 'type' => 'simple' ) );
      $kept = array();
      foreach ( $all as $one ) { $kept[ $one->get_id() ] = $one->get_short_description(); $one->set_short_description( str_repeat( '𝕏', 5100 ) ); $one->save(); }
      echo json_encode( $kept );`);
    const shown = await wordpress.command("sync");
    const parts = sent("products");
    expect(parts.map(({ sync }) => [sync.part, sync.last])).toEqual([
      [1, false],
      [2, true],
    ]);
    expect(new Set(parts.map(({ sync }) => sync.id)).size).toBe(1);
    for (const part of parts) expect(JSON.stringify(part).length).toBeLessThan(256 * 1024);
    const ids = parts.flatMap(({ products }) => products.map(({ id }: Message) => id));
    expect(new Set(ids).size).toBe(ids.length);
    expect(shown).toContain(`Products sent: ${ids.length}\n`);
    expect(shown).toContain("All products were sent.");
    await php(
      `foreach ( json_decode( '${JSON.stringify(before)}', true ) as $id => $text ) { $one = wc_get_product( $id ); $one->set_short_description( $text ); $one->save(); } echo 1;`,
    );
    await wordpress.work("gatehouse_push_products");
  });

  test("are sent on from the part where a full list was cut off, with the same list", async () => {
    await php("Gatehouse\\WooCommerce\\Full_Sync::start(); echo 1;");
    const halves = `$big = array(); foreach ( wc_get_products( array( 'limit' => 20, 'type' => 'simple' ) ) as $p ) { $big[] = $p->get_id(); }
      add_filter( 'woocommerce_product_get_short_description', fn( $text, $p ) => in_array( $p->get_id(), $big, true ) ? str_repeat( '𝕏', 5100 ) : $text, 10, 2 );`;
    // The process ends when Gatehouse has stored the first part, and the shop has not noted that.
    await php(`${halves} echo '1'; ob_flush();
      add_filter( 'http_response', function ( $answer, $args, $url ) { if ( str_contains( $url, '/products' ) ) { exit( 0 ); } return $answer; }, 10, 3 );
      Gatehouse\\WooCommerce\\Full_Sync::run();`);
    await php(`${halves} echo '1'; ob_flush();
      add_filter( 'http_response', function ( $answer, $args, $url ) { static $parts = 0; if ( str_contains( $url, '/products' ) && 2 === ++$parts ) { exit( 0 ); } return $answer; }, 10, 3 );
      Gatehouse\\WooCommerce\\Full_Sync::run();`);
    // The minute's run finds the list, and nothing of Action Scheduler is needed for that.
    await php("as_unschedule_all_actions( 'gatehouse_full_sync' ); echo 1;");
    await wordpress.background();
    await wordpress.work("gatehouse_full_sync");
    const parts = sent("products").map(({ sync }) => [sync.part, sync.last]);
    expect(parts).toEqual([
      [1, false],
      [1, false],
      [2, true],
      [2, true],
    ]);
    expect(new Set(sent("products").map(({ sync }) => sync.id)).size).toBe(1);
    const [first, ...others] = sent("products").map(
      ({ products }) => new Set(products.map(({ id }: Message) => id)),
    );
    expect(first).toEqual(others[0]);
    const ids = [...(first ?? []), ...(others[1] ?? [])];
    expect(new Set(ids).size).toBe(ids.length);
    expect(
      await php("echo json_encode( Gatehouse\\WooCommerce\\Full_Sync::progress() );"),
    ).toBeNull();
  });

  test("are all sent every night, with what no hook has told", async () => {
    const id = await change("SHOP-015", "$p->set_stock_quantity( 15 );");
    await wordpress.work("gatehouse_push_products");
    await wordpress.background();
    const next = await php(
      `$at = as_next_scheduled_action( 'gatehouse_nightly_sync' ); echo json_encode( array( wp_date( 'H:i', $at ), $at - time() <= 27 * HOUR_IN_SECONDS ) );`,
    );
    expect(next).toEqual(["03:00", true]);
    // Such as an import that writes into the database.
    await php(
      `global $wpdb; $wpdb->update( $wpdb->postmeta, array( 'meta_value' => 6 ), array( 'post_id' => ${id}, 'meta_key' => '_stock' ) ); echo 1;`,
    );
    gate.messages.length = 0;
    await wordpress.work("gatehouse_nightly_sync");
    await wordpress.work("gatehouse_full_sync");
    const [list, ...more] = sent("products");
    expect([list.sync.last, more, list.removed]).toEqual([true, [], []]);
    expect(list.products.find((one: Message) => one.id === String(id))).toMatchObject({
      quantity: 6,
    });
    // And again the night after.
    const again = await php("echo as_next_scheduled_action( 'gatehouse_nightly_sync' ) - time();");
    expect(again).toBeGreaterThan(0);
    expect(again).toBeLessThanOrEqual(2 * 86_400);
  });

  test("are all sent when taxes or settings change their prices", async () => {
    const rate = await php(
      `echo (int) $GLOBALS['wpdb']->get_var( "SELECT MAX(tax_rate_id) FROM {$GLOBALS['wpdb']->prefix}woocommerce_tax_rates" );`,
    );
    const added = rate + 1;
    const causes = {
      "a tax rate was added": `echo WC_Tax::_insert_tax_rate( array( 'tax_rate_country' => 'DE', 'tax_rate' => '7', 'tax_rate_name' => 'x', 'tax_rate_priority' => 2, 'tax_rate_class' => '' ) );`,
      "it was changed": `WC_Tax::_update_tax_rate( ${added}, array( 'tax_rate' => '8' ) ); echo ${added};`,
      "it was deleted": `WC_Tax::_delete_tax_rate( ${added} ); echo ${added};`,
      "settings were saved": `update_option( 'woocommerce_tax_display_shop', 'excl' ); do_action( 'woocommerce_settings_saved' ); echo ${added};`,
    };
    const prices: string[][] = [];
    for (const [cause, code] of Object.entries(causes)) {
      gate.messages.length = 0;
      expect([cause, await php(code)]).toEqual([cause, added]);
      await wordpress.work("gatehouse_full_sync");
      expect([cause, sent("products").map(({ sync }) => sync.last)]).toEqual([cause, [true]]);
      const [list] = sent("products");
      const cup = list.products.find(({ title }: Message) => title === "Porcelain cup No. 2");
      prices.push([cup.price, cup.sale_price]);
    }
    const gross = ["5.90", "4.72"];
    expect(prices).toEqual([gross, gross, gross, ["4.96", "3.97"]]);
    await php(`update_option( 'woocommerce_tax_display_shop', 'incl' ); echo 1;`);
  });

  test("are all noted when an import changes more than are collected in memory, and all are sent", async () => {
    const [during, after] = await php(`
      for ( $id = 900001; $id <= 900700; $id++ ) { foreach ( array( 1, 2 ) as $twice ) { do_action( 'woocommerce_update_product_variation', $id ); } }
      $during = Gatehouse\\WooCommerce\\Changed_Products::count(); Gatehouse\\WooCommerce\\Product_Observer::write();
      echo json_encode( array( $during, Gatehouse\\WooCommerce\\Changed_Products::count() ) );`);
    expect([during, after]).toEqual([500, 700]);
    const { messages, removed } = await pushed();
    expect(removed.toSorted((a: number, b: number) => a - b)).toEqual(
      Array.from({ length: 700 }, (_, n) => 900_001 + n),
    );
    for (const { products, removed: gone } of messages)
      expect(products.length + gone.length).toBeLessThanOrEqual(500);
    expect(await php("echo Gatehouse\\WooCommerce\\Changed_Products::count();")).toBe(0);
  });

  test("have the price that a visitor sees, and plain text", async () => {
    const id = await change(
      "SHOP-009",
      `$p->set_regular_price( '100' ); $p->set_sale_price( '80' );
      $p->set_name( 'Tea & <b>more</b><script>alert(1)</script> &lt;img src=x onerror=alert(2)&gt;' . "\\u{202E}\\n" );
      $p->set_short_description( '<p>One.</p><p>Two.</p>[gallery]' );`,
    );
    expect((await pushed()).product(id)).toMatchObject({
      title: "Tea & more <img src=x onerror=alert(2)>",
      description: "One. Two.",
      price: "100.00",
      sale_price: "80.00",
    });
    await php(`update_option( 'woocommerce_tax_display_shop', 'excl' ); echo 1;`);
    await change("SHOP-009", "$p->set_sale_price( '' );");
    expect((await pushed()).product(id)).toMatchObject({ price: "84.03" });
    await php(`update_option( 'woocommerce_tax_display_shop', 'incl' ); echo 1;`);
  });

  test("are sent with their sale and its times, also if it begins later, and without a wrong one", async () => {
    const day = 86_400;
    const times = (from: number | null, until: number | null) =>
      [
        ["from", from],
        ["to", until],
      ]
        .map(([name, days]) => {
          const time = days === null ? "''" : `time() + ${Number(days) * day}`;
          return `$p->set_date_on_sale_${name}( ${time} );`;
        })
        .join(" ");
    const on = (regular: string, lower: string, when: string) =>
      change(
        "SHOP-011",
        `$p->set_regular_price( '${regular}' ); $p->set_sale_price( '${lower}' ); ${when}`,
      );
    const id = await on("20", "15", times(-1, 1));
    const lasting = (await pushed()).product(id);
    expect(lasting).toMatchObject({ price: "20.00", sale_price: "15.00" });
    expect(Date.parse(lasting.sale_until)).toBeGreaterThan(Date.now());
    await on("20", "15", times(1, 2));
    const coming = (await pushed()).product(id);
    expect(coming).toMatchObject({ price: "20.00", sale_price: "15.00" });
    expect(Date.parse(coming.sale_from)).toBeGreaterThan(Date.now());
    expect(Date.parse(coming.sale_until)).toBeGreaterThan(Date.parse(coming.sale_from));
    await on("20", "15", times(-2, -1));
    const over = (await pushed()).product(id);
    expect([over.price, over.sale_price, over.sale_until]).toEqual(["20.00", undefined, undefined]);
    await on("20", "", times(null, null));
    expect((await pushed()).product(id)).not.toHaveProperty("sale_price");
  });

  test("have brand, GTIN, category, gallery and variation, without what Gatehouse would refuse", async () => {
    const id = await change(
      "SHOP-012",
      `$p->set_global_unique_id( '4006381-333931' );
      $top = wp_insert_term( 'Garden & Co', 'product_cat' ); $low = wp_insert_term( 'Flowers > cut', 'product_cat', array( 'parent' => $top['term_id'] ) );
      $p->set_category_ids( array( $top['term_id'], $low['term_id'] ) );
      wp_set_object_terms( $p->get_id(), 'Rosa <b>bold</b>', 'product_brand' );
      $pictures = array(); foreach ( array( 1, 2 ) as $n ) { $pictures[] = wp_insert_attachment( array( 'post_title' => "p$n", 'post_mime_type' => 'image/jpeg' ), "2026/p$n.jpg" ); }
      $p->set_gallery_image_ids( $pictures );`,
    );
    const urls = await php(
      `add_filter( 'wp_get_attachment_image_src', fn( $image, $id ) => array( "https://shop.example.com/$id.jpg", 1, 1 ), 10, 2 );
      echo json_encode( Gatehouse\\WooCommerce\\Product_Entry::of( ${id} )['additional_image_urls'] );`,
    );
    expect(urls).toEqual(Array(2).fill(expect.stringMatching(/^https:\/\/shop/)));
    const simple = (await pushed()).product(id);
    expect(simple).toMatchObject({
      brand: "Rosa bold",
      gtin: "4006381333931",
      category: "Garden & Co > Flowers cut",
    });
    expect(simple).not.toHaveProperty("item_group_id");
    // The kit's pictures have no https address, which Gatehouse would refuse.
    expect(simple).not.toHaveProperty("additional_image_urls");
    await change("SHOP-012", "$p->set_global_unique_id( '4006381333932' );");
    expect((await pushed()).product(id)).not.toHaveProperty("gtin");
    const variation = await change("SHOP-004-S", "$p->set_weight( '1' );");
    const small = (await pushed()).product(variation);
    expect(small).toMatchObject({ options: { Size: "Small" } });
    const parent = await php(`echo wc_get_product( ${variation} )->get_parent_id();`);
    expect(small.item_group_id).toBe(String(parent));
  });

  test("have their SKU, a variation its own or that of its parent, and none that Gatehouse would refuse", async () => {
    const id = await change("SHOP-013", "$p->set_weight( '1' );");
    const variation = await change("SHOP-004-S", "$p->set_weight( '1' );");
    const before = await pushed();
    const skus = [before.product(id).sku, before.product(variation).sku];
    expect(skus).toEqual(["SHOP-013", "SHOP-004-S"]);
    const set = (one: number, sku: string) =>
      php(`$p = wc_get_product( ${one} ); $p->set_sku( '${sku}' ); $p->save(); echo 1;`);
    await set(id, "x".repeat(101));
    await set(variation, "");
    const after = await pushed();
    expect(after.product(id)).not.toHaveProperty("sku");
    expect(after.product(variation).sku).toBe("SHOP-004");
    await set(id, "x".repeat(100));
    expect((await pushed()).product(id).sku).toHaveLength(100);
    await set(id, "SHOP-013");
    await set(variation, "SHOP-004-S");
    await pushed();
  });

  test("are described in readme.txt with every field that is sent", async () => {
    const [id, keys] = await php(
      `add_filter( 'wp_get_attachment_image_src', fn() => array( 'https://shop.example.com/p.jpg', 1, 1 ) );
      add_filter( 'post_type_link', fn( $link ) => set_url_scheme( $link, 'https' ) );
      $p = new WC_Product_Simple(); $p->set_name( 'All' ); $p->set_short_description( 'All' ); $p->set_regular_price( '10' ); $p->set_sale_price( '8' );
      $p->set_date_on_sale_from( time() - 60 ); $p->set_date_on_sale_to( time() + 3600 ); $p->set_manage_stock( true ); $p->set_stock_quantity( 3 );
      $p->set_sku( 'ALL' ); $p->set_global_unique_id( '4006381333931' ); $p->set_image_id( 1 ); $p->set_gallery_image_ids( array( wp_insert_attachment( array( 'post_title' => 'p', 'post_mime_type' => 'image/jpeg' ), '2026/p.jpg' ) ) );
      $term = wp_insert_term( 'All', 'product_cat' ); $p->set_category_ids( array( $term['term_id'] ) ); $p->save(); wp_set_object_terms( $p->get_id(), 'All', 'product_brand' );
      $of = fn( $id ) => Gatehouse\\WooCommerce\\Product_Entry::of( $id );
      $variation = current( wc_get_products( array( 'type' => 'variation', 'limit' => 1, 'return' => 'ids' ) ) );
      echo json_encode( array( $p->get_id(), array_keys( $of( $p->get_id() ) + $of( $variation ) ) ) );`,
    );
    await php(`wc_get_product( ${id} )->delete( true ); echo 1;`);
    await pushed();
    // Each field, in the words of the sentence.
    const words: Readonly<Record<string, string>> = {
      id: "id",
      version: "version",
      title: "title",
      description: "description",
      url: "addresses of the product",
      image_url: "its images",
      additional_image_urls: "its images",
      availability: "stock",
      quantity: "stock",
      price: "price",
      currency: "currency",
      sale_price: "sale price",
      sale_from: "its dates",
      sale_until: "its dates",
      sku: "SKU",
      brand: "brand",
      gtin: "GTIN",
      category: "category",
      item_group_id: "variations",
      options: "options",
    };
    const readme = readFileSync(join(plugin, "readme.txt"), "utf8");
    const [sentence = ""] = /^\* \*\*Products\*\*: .*$/m.exec(readme) ?? [];
    const unnamed = keys.filter((key: string) => !sentence.includes(words[key] ?? `?${key}`));
    expect(unnamed).toEqual([]);
    expect(Object.keys(words).filter((key) => !keys.includes(key))).toEqual([]);
  });

  test("follow stock and back-orders, and versions grow", async () => {
    const id = await change("SHOP-010", "$p->set_stock_quantity( 7 );");
    const first = (await pushed()).product(id);
    expect(first).toMatchObject({ availability: "in_stock", quantity: 7 });
    await php(`wc_update_product_stock( ${id}, 0, 'set' ); echo 1;`);
    const second = (await pushed()).product(id);
    expect(second).toMatchObject({ availability: "out_of_stock", quantity: 0 });
    expect(second.version).toBeGreaterThan(first.version);
    await change("SHOP-010", "$p->set_backorders( 'yes' );");
    const third = (await pushed()).product(id);
    expect([third.availability, third.quantity]).toEqual(["backorder", undefined]);
  });

  test("that change while WP-Cron runs are sent at the end of that run, and wait for no visitor", async () => {
    const content = join(wordpress.folder, "www/wp-content");
    writeFileSync(
      join(content, "mu-plugins/slow-work.php"),
      `<?php add_action( 'slow_work', static function (): void {
        touch( WP_CONTENT_DIR . '/slow-began' );
        for ( $n = 0; $n < 300 && ! file_exists( WP_CONTENT_DIR . '/slow-ends' ); $n++ ) { usleep( 100000 ); }
      } );`,
    );
    const cron = () => fetch(`${wordpress.url}/wp-cron.php`);
    // What is due anyway is done before.
    await cron();
    await php("wp_schedule_single_event( time(), 'slow_work' ); echo 1;");
    shop.beHonest();
    const running = cron();
    await expect.poll(() => existsSync(join(content, "slow-began")), SOON).toBe(true);
    await change("SHOP-021", "$p->set_regular_price( '21.50' );");
    expect(sent("products")).toEqual([]);
    writeFileSync(join(content, "slow-ends"), "");
    await running;
    expect(sent("products").flatMap(({ products }) => products)).toMatchObject([
      { price: "21.50" },
    ]);
  });

  test("are removed if not everybody can find and buy them", async () => {
    const states = {
      draft: "$p->set_status( 'draft' );",
      private: "$p->set_status( 'private' );",
      hidden: "$p->set_catalog_visibility( 'hidden' );",
      password: "wp_update_post( array( 'ID' => $p->get_id(), 'post_password' => 'x' ) );",
      unpriced: "$p->set_regular_price( '' );",
      external: "$p = new WC_Product_External( $p->get_id() ); $p->set_regular_price( '5' );",
      grouped: "$p = new WC_Product_Grouped( $p->get_id() );",
    };
    const made = Object.values(states).map(
      (code) =>
        `$p = new WC_Product_Simple(); $p->set_name( 'Gone' ); $p->set_regular_price( '5' ); $p->save(); ${code} $p->save(); $ids[] = $p->get_id();`,
    );
    const ids = await php(`${made.join("\n")} echo json_encode( $ids );`);
    const { product, removed } = await pushed();
    for (const [index, state] of Object.keys(states).entries()) {
      const id = ids[index];
      expect([state, product(id), removed.includes(id)]).toEqual([state, undefined, true]);
    }
  });

  test("are removed with their variations when they go to the trash, and come back", async () => {
    const ids =
      await php(`$ids = array_map( fn( $sku ) => wc_get_product_id_by_sku( $sku ), array( 'SHOP-004-S', 'SHOP-004-M', 'SHOP-004-L' ) );
      wp_trash_post( wc_get_product_id_by_sku( 'SHOP-004' ) ); echo json_encode( $ids );`);
    const parent = ids[0] - 1;
    expect((await pushed()).removed).toEqual(expect.arrayContaining(ids));
    gate.messages.length = 0;
    await php(`wp_untrash_post( ${parent} ); wp_publish_post( ${parent} ); echo 1;`);
    const back = await pushed();
    for (const id of ids) expect(back.product(id)?.title).toContain("Green tea No. 4 - ");
    await php(
      `wc_get_product( ${ids[0]} )->delete( true ); $v = wc_get_product( ${ids[1]} ); $v->set_attributes( array( 'pa_size' => '' ) ); $v->save(); echo 1;`,
    );
    gate.messages.length = 0;
    expect((await pushed()).removed).toEqual(expect.arrayContaining([ids[0], ids[1]]));
  });

  test("are sent again later while Gatehouse is wrong or down, and nothing is lost", async () => {
    const id = await change("SHOP-011", "$p->set_stock_quantity( 5 );");
    for (const mode of WRONG_MODES) {
      gate.mode = mode;
      const left = await php(
        "as_unschedule_all_actions( 'gatehouse_push_products' ); Gatehouse\\WooCommerce\\Product_Push::run(); echo Gatehouse\\WooCommerce\\Changed_Products::count();",
      );
      expect([mode, left]).toEqual([mode, 1]);
    }
    const shown = await wordpress.command("status");
    expect(shown).toContain("Products could not be sent. They are sent again automatically.");
    const delay = await php("echo as_next_scheduled_action( 'gatehouse_push_products' ) - time();");
    expect(delay).toBeGreaterThan(600);
    gate.mode = "honest";
    gate.messages.length = 0;
    expect((await pushed()).product(id)).toMatchObject({ quantity: 5 });
    expect(await wordpress.command("status")).not.toContain("Products could not be sent");
  });

  test("are shown in the settings as agents see them, with what agents bought and who came last", async () => {
    const id = await php(
      `$p = new WC_Product_Simple(); $p->set_name( '<b>Tea</b> &lt;script&gt;alert(1)&lt;/script&gt;' ); $p->set_regular_price( '12.5' ); $p->set_manage_stock( true ); $p->set_stock_quantity( 3 ); $p->save();
      $hidden = new WC_Product_Simple(); $hidden->set_name( 'Hidden' ); $hidden->set_regular_price( '1' ); $hidden->set_catalog_visibility( 'hidden' ); $hidden->save();
      $sell = function ( string $via, string $status, string $total, string $refund = '' ) { $o = wc_create_order(); $o->set_created_via( $via ); $o->set_total( $total ); $o->set_status( $status ); $o->save(); if ( '' !== $refund ) { wc_create_refund( array( 'order_id' => $o->get_id(), 'amount' => $refund ) ); } };
      Gatehouse\\WooCommerce\\Incoming::run( function () use ( $sell ) { $sell( 'gatehouse', 'processing', '20.00', '5.50' ); $sell( 'gatehouse', 'completed', '10.00' ); $sell( 'gatehouse', 'cancelled', '99.00' ); $sell( 'gatehouse', 'gatehouse-test', '99.00' ); $sell( 'checkout', 'processing', '99.00' ); } );
      $visit = fn( $agent, $path, $more = array() ) => array( 'observed_at' => '2026-11-18T12:00:00Z', 'user_agent' => $agent, 'page_url' => 'https://shop.example.com' . $path ) + $more;
      Gatehouse\\Last_Visits::note( array( $visit( 'Oldest bot', '/gone' ), $visit( 'GPTBot/1.2', '/a' ), $visit( 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0', '/person' ), $visit( '<i>Bot</i>', '/b' ), $visit( 'Bot 3', '/c' ), $visit( 'Bot 4', '/d' ), $visit( 'Mozilla/5.0 Firefox/140.0', '/e', array( 'signature' => array( 'outcome' => 'verified' ) ) ) ) );
      echo $p->get_id();`,
    );
    const owner = browser(wordpress.url);
    await owner.signIn(wordpress.admin);
    const { text } = await owner.send(PAGE);
    const shown = text.slice(text.indexOf("What agents see"));
    for (const field of ["Tea &lt;script", "12.50 EUR", "in stock", ">3<", `>${id}<`])
      expect(shown).toContain(field);
    expect(shown).not.toMatch(/<script>alert|Hidden/);
    expect(shown).toMatch(
      /Agents placed 2 paid orders in the last 30 days: 24,50\s€ after refunds/,
    );
    const visits = [...shown.matchAll(/<td>(\/\w+)<\/td><td>([\w ]+)<\/td>/g)];
    expect(visits.map(([, page, result]) => [page, result])).toEqual([
      ["/e", "verified"],
      ["/d", "not verified"],
      ["/c", "not verified"],
      ["/b", "not verified"],
      ["/a", "not verified"],
    ]);
    expect(shown).toContain("&lt;i&gt;Bot");
    await php(`wc_get_product( ${id} )->delete( true ); echo 1;`);
  });

  test("that are variations for any value are named in the settings, with the reason", async () => {
    const [id, parent] = await php(
      `$p = wc_get_product( current( wc_get_products( array( 'type' => 'variation', 'limit' => 1, 'return' => 'ids' ) ) ) );
      update_option( 'kept_attributes', $p->get_attributes() );
      $p->set_attributes( array_map( fn() => '', $p->get_attributes() ) ); $p->save(); echo json_encode( array( $p->get_id(), get_the_title( $p->get_parent_id() ) ) );`,
    );
    const owner = browser(wordpress.url);
    await owner.signIn(wordpress.admin);
    const { text } = await owner.send(PAGE);
    expect(text).toMatch(
      /\d variations? (?:is|are) not offered to agents, because (?:it accepts|they accept) any value of an attribute, such as any size: /,
    );
    expect(text).toContain(`${parent} (#${id})`);
    expect(text).toContain("Create one variation for each value.");
    await php(
      `$p = wc_get_product( ${id} ); $p->set_attributes( get_option( 'kept_attributes' ) ); $p->save(); delete_option( 'kept_attributes' ); echo 1;`,
    );
    expect((await owner.send(PAGE)).text).not.toContain(`(#${id})`);
  });

  test("that Gatehouse does not accept are named in the settings, with everything escaped", async () => {
    const id = await change("SHOP-012", `$p->set_name( '"><script>alert(1)</script>Cup' );`);
    gate.answers.products = () => ({
      type: "products.answer",
      problems: [
        { id: String(id), problem: 'title: <script>alert(2)</script>"is wrong' },
        { id: "999999", problem: "not sent" },
      ],
    });
    await wordpress.work("gatehouse_push_products");
    const owner = browser(wordpress.url);
    await owner.signIn(wordpress.admin);
    const { text } = await owner.send(PAGE);
    expect(text).toContain("title: &quot;is wrong");
    expect(text).not.toContain("<script>alert");
    expect(text).not.toContain("not sent");
    gate.answers = {};
    await change("SHOP-012", "$p->set_name( 'Cup' );");
    await wordpress.work("gatehouse_push_products");
    expect((await owner.send(PAGE)).text).not.toContain("is wrong");
  });
});

describe.skipIf(missing !== undefined)("the settings page", () => {
  test("fits a phone, with its tables of documents, products and visits", async () => {
    await php(`Gatehouse\\Last_Visits::note( array( array( 'observed_at' => '2026-11-18T12:00:00Z', 'user_agent' => 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)', 'page_url' => 'https://shop.example.com/a-long-path-of-a-product' ) ) );
      update_option( 'gatehouse_product_problems', array( '123' => 'title: ${"long".repeat(20)}' ) ); echo 1;`);
    const chromium = await launchChromium();
    onTestFinished(() => chromium.close());
    const page = await chromium.newPage({ viewport: { width: 390, height: 844 } });
    await page.goto(`${wordpress.url}/wp-login.php`);
    await page.fill("#user_login", wordpress.admin.log);
    await page.fill("#user_pass", wordpress.admin.pwd);
    await page.click("#wp-submit");
    await page.goto(wordpress.url + PAGE);
    expect(await page.locator(".wrap table.widefat").count()).toBe(4);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await php("delete_option( 'gatehouse_product_problems' ); echo 1;");
  });
});

describe.skipIf(missing !== undefined)("a Gatehouse that answers wrongly", () => {
  test("cannot connect the site with values that are none, and the connection stays", async () => {
    const honest = gate.connect();
    const wrong = [
      { ...honest, secret: "whsec_c2hvcnQ=" },
      { ...honest, connection_id: "../admin" },
      { ...honest, edge_token: ["ghe_"] },
      { ...honest, site: { ...honest.site, site_key_hash: "x" } },
      { ...honest, site: { ...honest.site, verification_token: "<script>" } },
      { ...honest, site: null },
    ];
    for (const answer of wrong) {
      gate.connect = () => answer as never;
      const shown = await wordpress.command("connect", {}, gate.code());
      expect(shown).toContain("The answer of Gatehouse cannot be used.");
    }
    gate.connect = () => honest;
    expect(await wordpress.command("status")).toContain(`Connected with ${gate.url}`);
  });

  test("makes the settings page wait for some seconds only, once a minute", async () => {
    gate.mode = "slow";
    const took: number[] =
      await php(`Gatehouse\\Connection_Status::clear(); $s = Gatehouse\\Settings::current();
      foreach ( array( 1, 2 ) as $n ) { $t = microtime( true ); $e = Gatehouse\\Connection_Status::recent( $s ); $took[] = microtime( true ) - $t; }
      echo json_encode( is_wp_error( $e ) ? $took : array() );`);
    expect(took[0]).toBeLessThan(8);
    expect(took[1]).toBeLessThan(1);
    await php("Gatehouse\\Connection_Status::clear(); echo 1;");
  });
});
