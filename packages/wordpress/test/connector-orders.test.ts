import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { signHmacWebhook, utf8 } from "@gatehouse/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browser } from "./browser.ts";
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

const id = (sku: string) => shop.products[sku] as string;

const reservation = (sku: string, quantity = 1, more: Json = {}): Promise<Json> =>
  shop.reservation(sku, quantity, more);

const sendOrder = async (order: Json) => (await shop.send({ type: "order", order })).shop_order_id;
/** As Gatehouse does: a shop that is busy with the same order gets the message again. */
const sendUntilAnswered = (order: Json): Promise<string> =>
  sendOrder(order).catch((error: Error) => {
    if (!error.message.startsWith("status 503")) throw error;
    return sendUntilAnswered(order);
  });
const reserve = async (message: Json) => {
  const { state, reason } = await shop.send(message);
  return reason ?? state;
};
const release = (reservation_id: string) => shop.send({ type: "release", reservation_id });
const available = async (sku: string, quantity: number) => {
  const lines = [{ product_id: id(sku), quantity }];
  const cart = { currency: "EUR", lines, destination: null, option_id: null, coupons: [] };
  return (await shop.send({ type: "quote", ...cart })).lines[0].fault === undefined;
};
const setStock = (sku: string, quantity: number) =>
  shop.php(`wc_update_product_stock( ${id(sku)}, ${quantity} ); echo 1`);

/** An order as the shop has it. */
const seen = (shopOrderId: string) =>
  shop.php(`$order = wc_get_order( ${shopOrderId} );
    echo json_encode( array(
      'status'  => $order->get_status(),
      'total'   => $order->get_total(),
      'via'     => $order->get_created_via(),
      'paid_by' => array( $order->get_payment_method(), $order->get_payment_method_title(), $order->get_transaction_id(), $order->get_meta( '_stripe_charge_captured' ), $order->get_meta( '_stripe_intent_id' ) ),
      'billing' => array( $order->get_billing_first_name(), $order->get_billing_email(), $order->get_billing_country() ),
      'shipped' => array( $order->get_shipping_last_name(), $order->get_shipping_address_1(), $order->get_shipping_state() ),
      'items'   => array_values( array_map( fn( $item ) => array( $item->get_name(), $item->get_quantity(), round( $item->get_total() + $item->get_total_tax(), 2 ) ), $order->get_items( array( 'line_item', 'shipping', 'fee' ) ) ) ),
      'tax'     => $order->get_total_tax(),
      'origin'  => array( $order->get_meta( '_wc_order_attribution_source_type' ), $order->get_meta( '_wc_order_attribution_utm_source' ) ),
      'by'      => array_map( fn( $refund ) => array( $refund->get_refunded_by(), $refund->get_reason() ), $order->get_refunds() ),
      'refunds' => array_map( fn( $refund ) => $refund->get_amount(), $order->get_refunds() ),
      'notes'   => array_map( fn( $note ) => $note->content, wc_get_order_notes( array( 'order_id' => $order->get_id() ) ) ),
      'stock'   => array_values( array_map( fn( $item ) => $item->get_product() ? $item->get_product()->get_stock_quantity() : null, $order->get_items() ) ),
      'reserved' => (int) $GLOBALS['wpdb']->get_var( "SELECT COUNT(*) FROM {$GLOBALS['wpdb']->wc_reserved_stock} WHERE order_id = " . $order->get_id() ),
    ) )`);
const mails = (to: string) => {
  const folder = join(shop.wordpress.folder, "mail");
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .filter((mail) => mail.includes(`To: ${to}`));
};

describe.skipIf(missing !== undefined)("a reservation of the shop", () => {
  test("holds stock for itself only, again and again, until it is released", async () => {
    const wanted = await reservation("SHOP-021", 60);
    expect(await reserve(wanted)).toBe("reserved");
    expect(await reserve(wanted)).toBe("reserved");
    expect([await available("SHOP-021", 40), await available("SHOP-021", 41)]).toEqual([
      true,
      false,
    ]);
    expect(await reserve({ ...wanted, reservation_id: fresh("pay") })).toBe("out_of_stock");
    expect(await release(wanted.reservation_id)).toEqual({ type: "release.answer" });
    expect(await release(wanted.reservation_id)).toEqual({ type: "release.answer" });
    expect(await available("SHOP-021", 100)).toBe(true);
    expect(await reserve(wanted)).toBe("closed");
  });

  test("is respected by the shop's own checkout", async () => {
    const store = `${shop.wordpress.url}/wp-json/wc/store/v1`;
    const cart = await fetch(`${store}/cart`);
    const headers = {
      "cart-token": cart.headers.get("cart-token") ?? "",
      "content-type": "application/json",
    };
    const post = (path: string, body: Json) =>
      fetch(store + path, { method: "POST", headers, body: JSON.stringify(body) });
    const added = await post("/cart/add-item", { id: Number(id("SHOP-022")), quantity: 2 });
    expect(added.status).toBe(201);
    expect(await reserve(await reservation("SHOP-022", 100))).toBe("reserved");
    const address = {
      first_name: "Bob",
      last_name: "Ray",
      address_1: "Street 1",
      city: "Berlin",
      postcode: "10115",
      country: "DE",
      state: "DE-BE",
      email: "bob@example.com",
    };
    const paid = await post("/checkout", {
      billing_address: address,
      shipping_address: address,
      payment_method: "cod",
    });
    expect([paid.status, await paid.text()]).toEqual([
      409,
      expect.stringContaining("out_of_stock"),
    ]);
  });

  test("is refused if the price, a coupon or the stock is another", async () => {
    const wanted = await reservation("SHOP-023");
    expect(await reserve({ ...wanted, total_minor: wanted.total_minor - 1 })).toBe("price_changed");
    expect(await reserve({ ...wanted, coupons: ["unknown"] })).toBe("price_changed");
    expect(await reserve({ ...wanted, lines: [{ product_id: "1", quantity: 1 }] })).toBe(
      "out_of_stock",
    );
    const drafts = await shop.php(
      `echo json_encode( count( wc_get_orders( array( 'limit' => -1, 'status' => 'checkout-draft', 'created_via' => 'gatehouse' ) ) ) )`,
    );
    expect(drafts).toBe(1);
    expect(await reserve(wanted)).toBe("reserved");
  });

  test("remembers a release that arrives first", async () => {
    const wanted = await reservation("SHOP-023");
    await release(wanted.reservation_id);
    expect(await reserve(wanted)).toBe("closed");
  });

  test("holds nothing if it was released while it took longer than its lock lasts", async () => {
    const wanted = await reservation("SHOP-023", 90);
    const outcome = await shop.php(`
      $slow = static function () { global $wpdb; $wpdb->query( "UPDATE $wpdb->options SET option_value = '9999999999.other' WHERE option_name LIKE 'gatehouse_lock_%' AND option_name <> 'gatehouse_lock_stock'" );
        Gatehouse\\WooCommerce\\Reservations::keep( '${wanted.reservation_id}', 'released', 0, time() + 86400 ); };
      add_action( 'woocommerce_checkout_create_order_line_item', $slow );
      try {
        echo json_encode( Gatehouse\\WooCommerce\\Reserve::answer( Gatehouse\\WooCommerce\\Fields::read( '${JSON.stringify(wanted)}' ) ) );
      } catch ( Gatehouse\\WooCommerce\\Busy $problem ) { echo json_encode( 'busy' ); }`);
    expect(outcome).toBe("busy");
    await shop.php(
      `global $wpdb; $wpdb->query( "DELETE FROM $wpdb->options WHERE option_name LIKE 'gatehouse_lock_%'" ); echo 1`,
    );
    expect(await available("SHOP-023", 90)).toBe(true);
    expect(await reserve(wanted)).toBe("closed");
  });

  test("still holds everything if a repeated message took longer than its lock lasts", async () => {
    const wanted = await reservation("SHOP-030", 60);
    expect(await reserve(wanted)).toBe("reserved");
    const outcome = await shop.php(`
      add_action( 'woocommerce_before_order_object_save', static function () { global $wpdb;
        $wpdb->query( "UPDATE $wpdb->options SET option_value = '9999999999.other' WHERE option_name LIKE 'gatehouse_lock_%' AND option_name <> 'gatehouse_lock_stock'" ); } );
      try {
        echo json_encode( Gatehouse\\WooCommerce\\Reserve::answer( Gatehouse\\WooCommerce\\Fields::read( '${JSON.stringify(wanted)}' ) ) );
      } catch ( Gatehouse\\WooCommerce\\Busy $problem ) { echo json_encode( 'busy' ); }`);
    expect(outcome).toBe("busy");
    await shop.php(
      `global $wpdb; $wpdb->query( "DELETE FROM $wpdb->options WHERE option_name LIKE 'gatehouse_lock_%'" ); echo 1`,
    );
    expect(await available("SHOP-030", 41)).toBe(false);
    expect(await reserve(wanted)).toBe("reserved");
    expect(await release(wanted.reservation_id)).toEqual({ type: "release.answer" });
    expect(await available("SHOP-030", 100)).toBe(true);
  });

  test("tells ids apart by upper and lower case", async () => {
    const wanted = await reservation("SHOP-023");
    await release("PAY_case");
    expect(await reserve({ ...wanted, reservation_id: "pay_case" })).toBe("reserved");
  });

  test("lets exactly one of several buyers have the last item", async () => {
    await setStock("SHOP-024", 1);
    const wanted = await reservation("SHOP-024");
    const rivals = Array.from({ length: 6 }, () => ({ ...wanted, reservation_id: fresh("pay") }));
    const states = await Promise.all(rivals.map(reserve));
    expect(states.sort()).toEqual([...Array(5).fill("out_of_stock"), "reserved"]);
  });

  test("frees the stock when its time is over, and is removed a day later", async () => {
    const wanted = { ...(await reservation("SHOP-025", 100)), expires_in_s: 60 };
    expect(await reserve(wanted)).toBe("reserved");
    expect(await available("SHOP-025", 1)).toBe(false);
    const past = (column: string, table: string) =>
      `$wpdb->query( "UPDATE {$wpdb->prefix}${table} SET ${column}" );`;
    await shop.php(
      `global $wpdb; ${past("expires = '2020-01-01 00:00:00'", "wc_reserved_stock")} echo 1`,
    );
    expect(await available("SHOP-025", 100)).toBe(true);
    expect(await reserve(wanted)).toBe("reserved");
    await shop.php(
      `global $wpdb; ${past("remove_at = 1 WHERE state <> 'ordered'", "gatehouse_reservations")} echo 1`,
    );
    await shop.php(`do_action( 'gatehouse_remove_reservations' ); echo 1`);
    const left = await shop.php(
      `global $wpdb; echo json_encode( array( (int) $wpdb->get_var( "SELECT COUNT(*) FROM {$wpdb->prefix}gatehouse_reservations" ), count( wc_get_orders( array( 'limit' => -1, 'created_via' => 'gatehouse' ) ) ), false !== as_next_scheduled_action( 'gatehouse_remove_reservations' ) ) )`,
    );
    expect(left).toEqual([0, 0, true]);
  });
});

describe.skipIf(missing !== undefined)("an order in the shop", () => {
  test("is made of its reservation, with lines, taxes, delivery, addresses and payment", async () => {
    const wanted = await reservation("SHOP-026", 2);
    await reserve(wanted);
    const order = orderOf(wanted);
    const shopOrderId = await sendOrder(order);
    const made = await seen(shopOrderId);
    expect(made).toMatchObject({
      status: "processing",
      total: (wanted.total_minor / 100).toFixed(2),
      via: "gatehouse",
      paid_by: ["Gatehouse", "Gatehouse (Stripe)", "pi_1", "no", "pi_1"],
      billing: ["Ann", "ann@example.com", "DE"],
      origin: ["utm", "Gatehouse"],
      shipped: ["Lee", "Invalidenstr. 1", "DE-BE"],
      stock: [98],
      reserved: 0,
      refunds: [],
    });
    const [goods, parcel] = made.items;
    expect([goods[1], parcel[0], Math.round((goods[2] + parcel[2]) * 100)]).toEqual([
      2,
      "Parcel",
      wanted.total_minor,
    ]);
    expect(Number(made.tax)).toBeGreaterThan(0);
    expect(made.notes).toContainEqual(
      `Bought through Gatehouse by Shopper (agt_1), order #1042 (${order.order_id}).`,
    );
    expect(mails("owner@example.test")).toHaveLength(1);
    const owner = browser(shop.wordpress.url);
    await owner.signIn(shop.wordpress.admin);
    const page = `/wp-admin/admin.php?page=wc-orders&action=edit&id=${shopOrderId}`;
    expect((await owner.send(page)).text).toContain("Payment via Gatehouse (pi_1)");
    // Gatehouse writes to the buyer.
    expect(mails("ann@example.com")).toEqual([]);
    expect(await reserve(wanted)).toBe("closed");
    await release(wanted.reservation_id);
    expect((await seen(shopOrderId)).stock).toEqual([98]);
  });

  test("changes nothing twice, whatever is repeated, reordered or sent at once", async () => {
    const wanted = await reservation("SHOP-027", 5);
    await reserve(wanted);
    const first = orderOf(wanted);
    const line = first.lines[0];
    const refunds = [
      { refund_id: "re_1", amount_minor: 500, state: "completed", origin_event_id: null },
      { refund_id: "re_2", amount_minor: 100, state: "pending", origin_event_id: null },
      { refund_id: "re_4", amount_minor: 99_900, state: "completed", origin_event_id: null },
      { refund_id: "re_3", amount_minor: 100, state: "completed", origin_event_id: "wc-9-refund" },
    ];
    const payment = { ...first.payment, state: "captured", captured_minor: 1000 };
    const third = { ...first, revision: 3, lines: [{ ...line, cancelled: 2 }], payment, refunds };
    const ids = await Promise.all([third, first, third, first].map(sendUntilAnswered));
    expect(new Set(ids).size).toBe(1);
    const [shopOrderId = ""] = ids;
    const once = await seen(shopOrderId);
    expect(once).toMatchObject({ status: "processing", stock: [97], reserved: 0 });
    expect(once.refunds.map(Number).sort()).toEqual([0, 5]);
    expect(once.by).toContainEqual([0, "Refunded in Gatehouse or at the payment provider"]);
    expect(once.paid_by[3]).toBe("yes");
    expect(once.notes).toContainEqual("The payment was captured: 10.00 EUR.");
    expect(once.notes).toContainEqual(
      "999.00 EUR was refunded to the buyer, but WooCommerce could not record it. If you enter a refund of this amount here, the buyer is not refunded again.",
    );
    await sendOrder({ ...first, revision: 2 });
    await sendOrder(third);
    await sendOrder({ ...third, revision: 4 });
    expect(await seen(shopOrderId)).toEqual(once);
    await sendOrder({ ...third, revision: 5, lines: [{ ...line, cancelled: 3 }] });
    expect((await seen(shopOrderId)).stock).toEqual([98]);
    await sendOrder({ ...third, revision: 6, lines: [{ ...line, cancelled: 3, sent: 2 }] });
    expect((await seen(shopOrderId)).status).toBe("completed");
  });

  test("recognizes a refund that it could not record when the owner enters it", async () => {
    const wanted = await reservation("SHOP-027");
    await reserve(wanted);
    const refunds = [
      { refund_id: "re_9", amount_minor: 99_900, state: "completed", origin_event_id: null },
    ];
    const { payment } = orderOf(wanted);
    const captured = { ...payment, state: "captured", captured_minor: 200_000 };
    const order = orderOf(wanted, { refunds, payment: captured });
    const shopOrderId = await sendOrder(order);
    expect((await seen(shopOrderId)).refunds).toEqual([]);
    const enter = (amount: string) =>
      shop.php(`$order = wc_get_order( ${shopOrderId} ); $order->set_total( 2000 ); $order->save();
        wc_create_refund( array( 'order_id' => ${shopOrderId}, 'amount' => '${amount}' ) );
        echo Gatehouse\\WooCommerce\\Order_Change_Queue::count();`);
    expect(await enter("999.00")).toBe(0);
    expect((await seen(shopOrderId)).notes).toContainEqual(
      "999.00 EUR was refunded to the buyer before. Gatehouse was not asked to refund it again.",
    );
    await sendOrder({ ...order, revision: 2 });
    expect((await seen(shopOrderId)).refunds.map(Number)).toEqual([999]);
    // A second refund of the same amount is a new one.
    expect(await enter("999.00")).toBe(1);
  });

  test("is not an order that somebody has copied from it", async () => {
    const wanted = await reservation("SHOP-041", 2);
    await reserve(wanted);
    const order = orderOf(wanted);
    const shopOrderId = await sendOrder(order);
    const copy = await shop.php(`$order = wc_get_order( ${shopOrderId} ); $copy = clone $order;
      $copy->set_id( 0 ); foreach ( $order->get_meta_data() as $meta ) { $copy->update_meta_data( $meta->key, $meta->value ); }
      $copy->save(); echo json_encode( (string) $copy->get_id() )`);
    const waiting = () => shop.php(`echo Gatehouse\\WooCommerce\\Order_Change_Queue::count();`);
    const before = await waiting();
    await shop.php(
      `$copy = wc_get_order( ${copy} ); $copy->update_status( 'completed' ); $copy->update_status( 'cancelled' );
      wc_create_refund( array( 'order_id' => ${copy}, 'amount' => '1.00' ) ); echo 1`,
    );
    expect(await waiting()).toBe(before);
    // It is not found in place of the order either.
    await shop.php(
      `global $wpdb; $wpdb->query( "DELETE FROM {$wpdb->prefix}gatehouse_reservations WHERE state = 'ordered'" ); echo 1`,
    );
    expect(await sendOrder({ ...order, revision: 2 })).toBe(shopOrderId);
    const payment = { ...order.payment, state: "lapsed" };
    await sendOrder({ ...order, revision: 3, payment });
    expect((await seen(shopOrderId)).status).toBe("on-hold");
    expect((await seen(copy)).status).toBe("cancelled");
  });

  test("is left to another request if its own work took longer than its lock lasts", async () => {
    const wanted = await reservation("SHOP-042", 2);
    await reserve(wanted);
    const refunds = [
      { refund_id: "re_slow", amount_minor: 100, state: "completed", origin_event_id: null },
    ];
    const order = orderOf(wanted, { refunds });
    const said = await shop.php(`
      $slow = static function () { global $wpdb; $wpdb->query( "UPDATE $wpdb->options SET option_value = '9999999999.other' WHERE option_name LIKE 'gatehouse_lock_%' AND option_name <> 'gatehouse_lock_stock'" ); };
      add_action( 'woocommerce_order_status_processing', $slow );
      try {
        Gatehouse\\WooCommerce\\Order::answer( Gatehouse\\WooCommerce\\Fields::read( '${JSON.stringify({ order })}' ) );
        echo json_encode( 'answered' );
      } catch ( Gatehouse\\WooCommerce\\Busy $problem ) { echo json_encode( 'busy' ); }`);
    expect(said).toBe("busy");
    const begun = await shop.php(
      `global $wpdb; $id = $wpdb->get_var( "SELECT shop_order_id FROM {$wpdb->prefix}gatehouse_reservations ORDER BY shop_order_id DESC LIMIT 1" );
      $wpdb->query( "DELETE FROM $wpdb->options WHERE option_name LIKE 'gatehouse_lock_%'" ); echo json_encode( $id )`,
    );
    expect(await seen(begun)).toMatchObject({ status: "processing", stock: [98], refunds: [] });
    expect(await sendOrder(order)).toBe(begun);
    const done = await seen(begun);
    expect([done.stock, done.refunds.map(Number)]).toEqual([[98], [1]]);
  });

  test("has a limit of refunds and of mails about them, whatever Gatehouse sends", async () => {
    const wanted = await reservation("SHOP-040");
    await reserve(wanted);
    const email = "flooded@example.com";
    const buyer = { email, first_name: "F", last_name: "", phone: null };
    const order = orderOf(wanted, { buyer });
    const shopOrderId = await sendOrder(order);
    const refunds = Array.from({ length: 30 }, (_, i) => ({
      refund_id: `re_flood_${i}`,
      amount_minor: i % 2,
      state: "completed",
      origin_event_id: null,
    }));
    const again = refunds.map((refund) => ({ ...refund, refund_id: `${refund.refund_id}_b` }));
    await sendOrder({ ...order, revision: 2, refunds });
    await sendOrder({ ...order, revision: 3, refunds });
    await sendOrder({ ...order, revision: 4, refunds: [...refunds, ...again] });
    await sendOrder({ ...order, revision: 5, refunds: [...refunds, ...again] });
    const made = await seen(shopOrderId);
    expect(made.refunds).toHaveLength(20);
    const more = made.notes.filter((note: string) => note.includes("more than 20 refunds"));
    expect([more.length, mails(email).length]).toEqual([1, 5]);

    await shop.php(
      `update_option( 'gatehouse_mails', array( 'day' => gmdate( 'Y-m-d' ), 'sent' => 200 ) ); echo 1`,
    );
    const other = await reservation("SHOP-040");
    await reserve(other);
    const late = orderOf(other, { buyer, refunds: refunds.slice(0, 2) });
    expect((await seen(await sendOrder(late))).refunds).toHaveLength(1);
    expect(mails(email)).toHaveLength(5);
    await shop.php(`delete_option( 'gatehouse_mails' ); echo 1`);
  });

  test("is cancelled with its whole stock when all is cancelled, also before it is known", async () => {
    const wanted = await reservation("SHOP-028", 4);
    await reserve(wanted);
    const order = orderOf(wanted);
    const cancelled = (n: number) => [{ ...order.lines[0], cancelled: n }];
    const shopOrderId = await sendOrder(order);
    await sendOrder({ ...order, revision: 2, lines: cancelled(1) });
    expect(await seen(shopOrderId)).toMatchObject({ status: "processing", stock: [97] });
    const payment = { ...order.payment, state: "released" };
    await sendOrder({ ...order, revision: 3, lines: cancelled(4), payment });
    expect(await seen(shopOrderId)).toMatchObject({ status: "cancelled", stock: [100] });
    const late = await reservation("SHOP-028", 4);
    await reserve(late);
    const gone = orderOf(late, { revision: 2 });
    gone.lines[0].cancelled = 4;
    await shop.php(
      "$GLOBALS['wpdb']->query( 'DELETE FROM ' . Gatehouse\\Storage::products() ); echo 1",
    );
    expect(await seen(await sendOrder(gone))).toMatchObject({
      status: "cancelled",
      stock: [100],
      reserved: 0,
    });
    // Gatehouse has returned these goods to a stock that may never have been without them.
    const waits = await shop.php(
      "echo json_encode( array_keys( Gatehouse\\WooCommerce\\Changed_Products::first( 10 ) ) );",
    );
    expect(waits).toEqual([Number(id("SHOP-028"))]);
  });

  test("is not changed by the bytes of older messages that somebody sends again", async () => {
    const kept: (() => Promise<{ status: number; text: string }>)[] = [];
    /** Sends a message, and keeps it with its signature. */
    const sendAndKeep = async (message: Json) => {
      const body = JSON.stringify(message);
      const msg = { id: fresh("msg_kept"), body: utf8(body) };
      const signed = await signHmacWebhook(msg, { secret: shop.secret, sentAt: Date.now() });
      const again = () => shop.post(body, { ...signed });
      kept.push(again);
      const answer = await again();
      expect([answer.status, answer.isSigned]).toEqual([200, true]);
      return JSON.parse(answer.text);
    };
    const released = await reservation("SHOP-030", 30);
    await sendAndKeep(released);
    await sendAndKeep({ type: "release", reservation_id: released.reservation_id });
    const wanted = await reservation("SHOP-030", 5);
    await sendAndKeep(wanted);
    const order = orderOf(wanted);
    const { shop_order_id } = await sendAndKeep({ type: "order", order });
    const lines = [{ ...order.lines[0], cancelled: 5 }];
    const payment = { ...order.payment, state: "released" };
    await sendAndKeep({ type: "order", order: { ...order, revision: 2, lines, payment } });
    // Gatehouse sends this when it does not know whether its order has arrived.
    await sendAndKeep({ type: "release", reservation_id: wanted.reservation_id });
    const before = await seen(shop_order_id);
    expect(before).toMatchObject({ status: "cancelled", stock: [100], reserved: 0 });
    const orders = () => shop.php("echo count( wc_get_orders( array( 'limit' => -1 ) ) )");
    const count = await orders();
    const mailed = mails("owner@example.test").length;
    for (const again of [...kept, ...kept.toReversed()]) expect((await again()).status).toBe(200);
    expect(await seen(shop_order_id)).toEqual(before);
    expect([await orders(), mails("owner@example.test").length]).toEqual([count, mailed]);
    // A reservation that was released holds nothing again.
    expect(await available("SHOP-030", 100)).toBe(true);
  });

  test("is put on hold when its payment expires", async () => {
    const wanted = await reservation("SHOP-029");
    await reserve(wanted);
    const order = orderOf(wanted);
    const shopOrderId = await sendOrder(order);
    await sendOrder({ ...order, revision: 2, payment: { ...order.payment, state: "lapsed" } });
    expect((await seen(shopOrderId)).status).toBe("on-hold");
  });

  test("is made without a reservation too, from what the shop would charge", async () => {
    const wanted = await reservation("SHOP-030", 3);
    const made = await seen(await sendOrder(orderOf(wanted)));
    expect(made).toMatchObject({ status: "processing", stock: [97] });
  });

  test("of a test purchase is no sale: it is marked, and no report counts it", async () => {
    const wanted = await reservation("SHOP-038", 2);
    await reserve(wanted);
    const buyer = { email: "tester@example.com", first_name: "T", last_name: "", phone: null };
    const order = orderOf(wanted, { test: true, buyer });
    const shopOrderId = await sendOrder(order);
    const made = await seen(shopOrderId);
    expect(made).toMatchObject({ status: "gatehouse-test", stock: [98], reserved: 0 });
    expect(made.paid_by[1]).toBe("Gatehouse (Stripe, test)");
    expect(made.notes).toContainEqual("This is a test order. It moves no money.");
    const number = await shop.php(
      `echo json_encode( wc_get_order( ${shopOrderId} )->get_order_number() )`,
    );
    expect(number).toBe(`${shopOrderId} (test)`);

    const refunds = [
      { refund_id: "re_t", amount_minor: 500, state: "completed", origin_event_id: null },
    ];
    const payment = { ...order.payment, state: "captured", captured_minor: order.total_minor };
    const sent = [{ ...order.lines[0], sent: 2 }];
    await sendOrder({ ...order, revision: 2, lines: sent, payment, refunds });
    expect(await seen(shopOrderId)).toMatchObject({ status: "gatehouse-test", stock: [98] });
    await shop.php(`wc_get_order( ${shopOrderId} )->update_status( 'completed' ); echo 1`);
    expect(await seen(shopOrderId)).toMatchObject({ status: "gatehouse-test", stock: [98] });
    expect(mails("tester@example.com")).toEqual([]);

    const other = await reservation("SHOP-038");
    await reserve(other);
    const sale = await sendOrder(orderOf(other));
    const counted = await shop.php(`global $wpdb; $counts = array();
      foreach ( array( ${shopOrderId}, ${sale} ) as $id ) {
        do_action( 'wc-admin_import_orders', $id );
        Automattic\\WooCommerce\\Admin\\API\\Reports\\Orders\\Stats\\DataStore::sync_order( $id );
        $counts[] = array(
          (int) $wpdb->get_var( "SELECT COUNT(*) FROM {$wpdb->prefix}wc_order_stats WHERE order_id = $id OR parent_id = $id" ),
          (int) $wpdb->get_var( "SELECT COUNT(*) FROM {$wpdb->prefix}wc_order_product_lookup WHERE order_id = $id" ),
        );
      }
      echo json_encode( $counts )`);
    expect(counted).toEqual([
      [0, 0],
      [1, 1],
    ]);
  });

  test("of a test purchase is deleted after a day, and its stock is returned", async () => {
    const wanted = await reservation("SHOP-039", 3);
    await reserve(wanted);
    const order = orderOf(wanted, { test: true });
    const shopOrderId = await sendOrder(order);
    await sendOrder({ ...order, revision: 2, lines: [{ ...order.lines[0], cancelled: 1 }] });
    expect((await seen(shopOrderId)).stock).toEqual([98]);
    const removeOld = (hours: number) =>
      shop.php(`$order = wc_get_order( ${shopOrderId} );
        $order->set_date_created( time() - ${hours} * HOUR_IN_SECONDS ); $order->save();
        do_action( 'gatehouse_remove_reservations' );
        echo json_encode( array( false !== wc_get_order( ${shopOrderId} ), wc_get_product( ${id("SHOP-039")} )->get_stock_quantity() ) )`);
    expect(await removeOld(23)).toEqual([true, 98]);
    expect(await removeOld(25)).toEqual([false, 100]);
    expect(await sendOrder({ ...order, revision: 3 })).toBe(shopOrderId);
    expect(await shop.php(`echo json_encode( wc_get_order( ${shopOrderId} ) )`)).toBe(false);
  });

  test("of a test purchase is deleted when the plugin is deactivated, and its stock is returned", async () => {
    const wanted = await reservation("SHOP-039", 3);
    await reserve(wanted);
    const shopOrderId = await sendOrder(orderOf(wanted, { test: true }));
    const load = "require_once ABSPATH . 'wp-admin/includes/plugin.php';";
    const left = await shop.php(`${load} deactivate_plugins( 'gatehouse/gatehouse.php' );
      echo json_encode( array( wc_get_order( ${shopOrderId} ), wc_get_product( ${id("SHOP-039")} )->get_stock_quantity() ) )`);
    await shop.php(`${load} activate_plugin( 'gatehouse/gatehouse.php' ); echo 1`);
    expect(left).toEqual([false, 100]);
  });

  test("waits for a person if stock is missing", async () => {
    const wanted = await reservation("SHOP-031", 3);
    await setStock("SHOP-031", 1);
    const made = await seen(await sendOrder(orderOf(wanted)));
    expect(made).toMatchObject({ status: "on-hold", stock: [-2] });
    expect(made.notes.join()).toContain("Not enough stock for this order.");
  });

  test("waits for a person if the price is another now, or a product is gone", async () => {
    const wanted = await reservation("SHOP-032", 2);
    const gone = { line_id: "li_2", product_id: "999999", title: "Gone <b>x</b>", quantity: 1 };
    const order = orderOf({ ...wanted, total_minor: 4321 }, { discount_minor: 200, tax_minor: 7 });
    order.lines.push({ ...order.lines[0], ...gone });
    const made = await seen(await sendOrder(order));
    expect(made).toMatchObject({ status: "on-hold", total: "43.21" });
    expect(made.items).toEqual([
      ["Espresso", 2, 9.9],
      ["Gone x", 1, 4.95],
      ["Parcel", 1, 5.83],
      ["Discount", 1, -2],
      ["Tax", 1, 0.07],
    ]);
    expect(made.notes.join()).toContain("The reservation of this order has ended");
  });

  test("waits for a person if its total or lines are not those of the reservation", async () => {
    const wanted = await reservation("SHOP-033", 2);
    await reserve(wanted);
    const order = orderOf(wanted, { total_minor: wanted.total_minor + 1 });
    order.lines[0].quantity = 3;
    const made = await seen(await sendOrder(order));
    expect(made).toMatchObject({
      status: "on-hold",
      total: ((wanted.total_minor + 1) / 100).toFixed(2),
    });
    expect(made.notes.join()).toMatch(
      /products of this order differ.*but the buyer pays|but the buyer pays.*products of this order differ/,
    );
  });

  test("has no address for an order by mandate, and takes names as text", async () => {
    const wanted = await reservation("SHOP-034", 1, { destination: null, option_id: null });
    await reserve(wanted);
    const bare = orderOf(wanted, { buyer: null, destination: null, option: null });
    expect(await seen(await sendOrder(bare))).toMatchObject({ billing: ["", "", ""] });
    const again = await reservation("SHOP-034");
    await reserve(again);
    const evil = `<script>alert(1)</script>'; DROP TABLE wp_options; --`;
    const made = await seen(
      await sendOrder(
        orderOf(again, {
          order_id: `ord_'";--`,
          agent: { id: evil, name: `${evil}<b onclick=x>Bob & Co` },
          buyer: { email: `a"<b>@example.com`, first_name: evil, last_name: "O'Neil", phone: evil },
          payment: { state: "captured", provider: evil, reference: evil, captured_minor: 0 },
        }),
      ),
    );
    expect(JSON.stringify(made)).not.toMatch(/<script|<b onclick/);
    expect(made.billing[1]).toBe("");
    expect(made.notes.join()).toContain("Bob &amp; Co");
    expect(made.status).toBe("processing");
  });

  test("is found again after the shop was connected anew, and is not made again once deleted", async () => {
    const wanted = await reservation("SHOP-035");
    await reserve(wanted);
    const order = orderOf(wanted);
    const shopOrderId = await sendOrder(order);
    await shop.php(
      `global $wpdb; $wpdb->query( "DELETE FROM {$wpdb->prefix}gatehouse_reservations WHERE state = 'ordered'" ); echo 1`,
    );
    expect(await sendOrder({ ...order, revision: 2 })).toBe(shopOrderId);
    const other = await reservation("SHOP-035");
    await reserve(other);
    const deleted = orderOf(other);
    const deletedId = await sendOrder(deleted);
    await shop.php(`wc_get_order( ${deletedId} )->delete( true ); echo 1`);
    expect(await sendOrder({ ...deleted, revision: 2 })).toBe(deletedId);
    expect(await shop.php(`echo json_encode( wc_get_order( ${deletedId} ) )`)).toBe(false);
  });

  test("uses a coupon once for each order, and not more often than the shop allows", async () => {
    await shop.php(
      `$coupon = new WC_Coupon(); $coupon->set_code( 'last' ); $coupon->set_discount_type( 'percent' ); $coupon->set_amount( 10 ); $coupon->set_usage_limit( 1 ); $coupon->save(); echo 1`,
    );
    const wanted = await reservation("SHOP-036", 1, { coupons: ["last"] });
    expect(await reserve(wanted)).toBe("reserved");
    expect(await reserve({ ...wanted, reservation_id: fresh("pay") })).toBe("price_changed");
    await sendOrder(orderOf(wanted));
    const usage = await shop.php(
      `echo json_encode( ( new WC_Coupon( 'last' ) )->get_usage_count() )`,
    );
    expect(usage).toBe(1);
  });

  test("leaves no lock behind, and causes no notice of PHP", async () => {
    const locks = await shop.php(
      `global $wpdb; echo json_encode( $wpdb->get_col( "SELECT option_name FROM $wpdb->options WHERE option_name LIKE 'gatehouse_lock%'" ) )`,
    );
    expect(locks).toEqual([]);
    const log = readFileSync(join(shop.wordpress.folder, "log/php.log"), {
      encoding: "utf8",
      flag: "a+",
    });
    expect(log.split("\n").filter((line) => line.includes("plugins/gatehouse/"))).toEqual([]);
  });

  test("stays when the plugin is deleted, but nothing else does", async () => {
    const wanted = await reservation("SHOP-037", 100);
    expect(await reserve(wanted)).toBe("reserved");
    const left = await shop.php(`global $wpdb;
      $orders = count( wc_get_orders( array( 'limit' => -1, 'created_via' => 'gatehouse', 'status' => 'processing' ) ) );
      require_once ABSPATH . 'wp-admin/includes/plugin.php';
      deactivate_plugins( 'gatehouse/gatehouse.php' );
      uninstall_plugin( 'gatehouse/gatehouse.php' );
      $named = fn( $name ) => str_contains( $name, 'gatehouse' );
      echo json_encode( array(
        'tables'   => count( array_filter( $wpdb->get_col( 'SHOW TABLES' ), $named ) ),
        'options'  => count( array_filter( $wpdb->get_col( "SELECT option_name FROM $wpdb->options" ), $named ) ),
        'actions'  => false !== as_next_scheduled_action( 'gatehouse_remove_reservations' ),
        'drafts'   => count( wc_get_orders( array( 'limit' => -1, 'created_via' => 'gatehouse', 'status' => 'checkout-draft' ) ) ),
        'reserved' => (int) $wpdb->get_var( "SELECT COUNT(*) FROM $wpdb->wc_reserved_stock WHERE product_id = ${id("SHOP-037")}" ),
        'orders'   => $orders > 5 && $orders === count( wc_get_orders( array( 'limit' => -1, 'created_via' => 'gatehouse', 'status' => 'processing' ) ) ),
      ) )`);
    expect(left).toEqual({
      tables: 0,
      options: 0,
      actions: false,
      drafts: 0,
      reserved: 0,
      orders: true,
    });
  });
});
