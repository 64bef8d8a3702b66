import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type ConnectedShop,
  fresh,
  type Json,
  orderOf,
  startConnectedShop,
} from "./connector-shop.ts";
import { missing } from "./wordpress.ts";

let shop: ConnectedShop;
beforeAll(async () => {
  if (missing === undefined) shop = await startConnectedShop();
});
afterAll(() => shop?.stop());

const sendOrder = async (order: Json): Promise<string> =>
  (await shop.send({ type: "order", order })).shop_order_id;
/** Handles an order as the endpoint does, after PHP of the test. Returns what was thrown, or nothing. */
const handle = (order: Json, before: string): Promise<string | null> =>
  shop.php(`${before}
    try { Gatehouse\\WooCommerce\\Incoming::run( fn() => Gatehouse\\WooCommerce\\Order::answer( Gatehouse\\WooCommerce\\Fields::read( '${JSON.stringify({ order })}' ) ) ); $thrown = null; }
    catch ( Throwable $error ) { $thrown = $error->getMessage(); }
    echo json_encode( $thrown )`);
const FAIL = "throw new Error( 'a plugin has failed' );";

/** What the shop has of an order. */
const books = (id: string): Promise<Json> =>
  shop.php(`$order = wc_get_order( ${id} ); $item = current( $order->get_items() );
    echo json_encode( array( 'status' => $order->get_status(), 'stock' => $item->get_product()->get_stock_quantity(),
      'reduced' => (int) $item->get_meta( '_reduced_stock' ),
      'refunds' => array_map( fn( $refund ) => (float) $refund->get_amount(), $order->get_refunds() ),
      'notes'   => array_column( wc_get_order_notes( array( 'order_id' => ${id} ) ), 'content' ) ) )`);
const mails = (to: string) => {
  const folder = join(shop.wordpress.folder, "mail");
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  return texts.filter((mail) => mail.includes(`To: ${to}`)).length;
};

/** An order of two items, and a message that changes it. */
async function ordered(sku: string, change: (order: Json) => Json) {
  const wanted = await shop.reservation(sku, 2);
  await shop.send(wanted);
  const email = `${sku.toLowerCase()}@example.com`;
  const order = orderOf(wanted, { buyer: { email, first_name: "A", last_name: "", phone: null } });
  const id = await sendOrder(order);
  return { id, email, changed: { ...order, revision: 2, ...change(order) } };
}
const refunded = ({ payment, total_minor }: Json) => ({
  payment: { ...payment, state: "captured", captured_minor: total_minor },
  refunds: [
    { refund_id: fresh("re"), amount_minor: 100, state: "completed", origin_event_id: null },
  ],
});

describe.skipIf(missing !== undefined)("a step that fails in the shop", () => {
  test("takes back the stock of a cancelled quantity with its refund, and is repeated as a whole", async () => {
    const { id, changed } = await ordered("SHOP-021", ({ lines: [line] }) => ({
      lines: [{ ...line, cancelled: 1 }],
    }));
    const before = await books(id);
    expect(before).toMatchObject({ stock: 98, reduced: 2, refunds: [] });
    const exception = "throw new Exception( 'a plugin has failed' );";
    const thrown = await handle(
      changed,
      `add_action( 'woocommerce_restock_refunded_item', function () { ${exception} } );`,
    );
    expect(thrown).toBe("A cancelled quantity could not be recorded.");
    expect(await books(id)).toEqual(before);
    await sendOrder(changed);
    expect(await books(id)).toMatchObject({ stock: 99, reduced: 1, refunds: [0] });
  });

  test("writes to the buyer about a refund after it is stored, and not if it is not stored", async () => {
    const { id, email, changed } = await ordered("SHOP-022", refunded);
    const failing = `add_action( 'woocommerce_order_refunded', function () { ${FAIL} }, PHP_INT_MAX );`;
    expect(await handle(changed, failing)).toBe("a plugin has failed");
    expect([mails(email), (await books(id)).refunds]).toEqual([0, []]);
    const open = await shop.php(`$open = false; $during = array();
      add_filter( 'query', function ( $query ) use ( &$open ) {
        if ( 'START TRANSACTION' === $query ) { $open = true; }
        if ( 'COMMIT' === $query ) { $open = false; }
        return $query; } );
      add_filter( 'wp_mail', function ( $mail ) use ( &$open, &$during ) { $during[] = array( $mail['to'], $open ); return $mail; } );
      Gatehouse\\WooCommerce\\Incoming::run( fn() => Gatehouse\\WooCommerce\\Order::answer( Gatehouse\\WooCommerce\\Fields::read( '${JSON.stringify({ order: changed })}' ) ) );
      echo json_encode( $during )`);
    expect(open).toEqual([[email, false]]);
    expect([mails(email), (await books(id)).refunds]).toEqual([1, [1]]);
    await sendOrder({ ...changed, revision: 3 });
    expect(mails(email)).toBe(1);
  });

  test("frees the lock of its reservation, so that the next message need not wait", async () => {
    const left = await shop.php(`global $wpdb;
      $locks = fn() => (int) $wpdb->get_var( "SELECT COUNT(*) FROM $wpdb->options WHERE option_name LIKE 'gatehouse_lock_%'" );
      $seen  = array();
      try {
        Gatehouse\\WooCommerce\\Reservations::lock( 'pay_failing', function () use ( &$seen, $locks ) {
          try { Gatehouse\\WooCommerce\\Transaction::run( function () { ${FAIL} } ); } catch ( Error ) { $seen[] = $locks(); }
          // Another step of the same work.
          Gatehouse\\WooCommerce\\Reservations::go_on(); $seen[] = 'goes on';
        } );
      } catch ( Gatehouse\\WooCommerce\\Busy ) { $seen[] = 'busy'; }
      $seen[] = $locks(); echo json_encode( $seen )`);
    expect(left).toEqual([1, "goes on", 0]);
  });

  test("keeps that stock is missing: the same order waits for a person after a crash too", async () => {
    const wanted = await shop.reservation("SHOP-023", 3);
    await shop.php(`wc_update_product_stock( ${shop.products["SHOP-023"]}, 1 ); echo 1`);
    const order = orderOf(wanted);
    const crashed = await handle(
      order,
      `add_action( 'woocommerce_before_order_object_save', function ( $order ) {
        if ( in_array( $order->get_changes()['status'] ?? '', array( 'on-hold', 'processing' ), true ) ) { ${FAIL} } } );`,
    );
    expect(crashed).toBe("a plugin has failed");
    const id = await sendOrder(order);
    const made = await books(id);
    expect(made).toMatchObject({ status: "on-hold", stock: -2, reduced: 3 });
    expect(made.notes.join()).toContain("Not enough stock for this order.");
    expect(await sendOrder(order)).toBe(id);
    expect(await books(id)).toEqual(made);
  });
});
