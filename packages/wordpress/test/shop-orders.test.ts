import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { browser } from "./browser.ts";
import { type ConnectedShop, startConnectedShop } from "./connected-shop.ts";
import type { Mode } from "./stand-in.ts";
import { missing } from "./wordpress.ts";

const WRONG_MODES: readonly Mode[] = ["unsigned", "forged", "old", "garbage", "huge", "redirect"];

let shop: ConnectedShop;
let { gate, wordpress, php, sent } = {} as ConnectedShop;

beforeAll(async () => {
  if (missing !== undefined) return;
  shop = await startConnectedShop();
  ({ gate, wordpress, php, sent } = shop);
});
beforeEach(() => shop?.beHonest());
afterAll(() => shop?.stop());

describe.skipIf(missing !== undefined)("orders that agents placed", () => {
  /** An order as Gatehouse creates it. */
  const order = (more = ""): Promise<number> =>
    php(`Gatehouse\\WooCommerce\\Incoming::run( function () {
      $order = wc_create_order(); $order->add_product( wc_get_product( wc_get_product_id_by_sku( 'SHOP-013' ) ), 2 );
      $order->set_created_via( 'gatehouse' ); $order->update_meta_data( '_gatehouse_order_id', 'ord_' . $order->get_id() ); $order->update_meta_data( '_gatehouse_shop_order_id', (string) $order->get_id() );
      $order->calculate_totals(); $order->set_status( 'processing' ); $order->save(); ${more}
      echo $order->get_id(); } );`);
  const status = (id: number, to: string) =>
    php(`wc_get_order( ${id} )->update_status( '${to}' ); echo 1;`);
  const send = () => wordpress.work("gatehouse_send_order_changes");
  const waiting = () => php("echo Gatehouse\\WooCommerce\\Order_Change_Queue::count();");
  /** Sends what waits as if its time had come. Returns how many changes wait then. */
  const sendNow = (): Promise<number> =>
    php(`global $wpdb; $wpdb->query( 'UPDATE ' . Gatehouse\\Storage::order_changes() . ' SET not_before = 0' );
      Gatehouse\\WooCommerce\\Order_Change_Sender::run(); echo Gatehouse\\WooCommerce\\Order_Change_Queue::count();`);
  const notes = (id: number): Promise<string[]> =>
    php(
      `echo json_encode( array_column( wc_get_order_notes( array( 'order_id' => ${id} ) ), 'content' ) );`,
    );
  const changes = () => sent("order.change");

  test("are sent and captured when they are completed, and nothing comes back from Gatehouse's own changes", async () => {
    const id = await order(
      "$order->update_status( 'on-hold' ); $order->update_status( 'processing' );",
    );
    expect(await waiting()).toBe(0);
    await status(id, "completed");
    await send();
    expect(changes()).toEqual([
      {
        type: "order.change",
        event_id: `wc-${id}-sent-1`,
        order_id: `ord_${id}`,
        change: { kind: "sent", lines: null, capture: true },
      },
    ]);
    expect((await notes(id)).join()).toContain(
      "Gatehouse marked the order as sent and captured the payment.",
    );
    expect(await waiting()).toBe(0);
    await php(
      `$order = wc_create_order(); $order->add_product( wc_get_product( wc_get_product_id_by_sku( 'SHOP-013' ) ), 1 ); $order->calculate_totals(); $order->update_status( 'completed' ); echo 1;`,
    );
    expect(await waiting()).toBe(0);
  });

  test("are not captured if the owner has switched that off", async () => {
    await php(
      "$s = get_option( 'gatehouse_settings' ); $s['capture'] = false; update_option( 'gatehouse_settings', $s ); echo 1;",
    );
    const id = await order();
    await status(id, "completed");
    await send();
    expect(changes()[0].change).toEqual({ kind: "sent", lines: null, capture: false });
    await php(
      "$s = get_option( 'gatehouse_settings' ); $s['capture'] = true; update_option( 'gatehouse_settings', $s ); echo 1;",
    );
  });

  test("are refunded in part and whole, in order, and cancelled", async () => {
    const id = await order();
    const total = await php(`$order = wc_get_order( ${id} ); $item = current( $order->get_items() );
      wc_create_refund( array( 'order_id' => ${id}, 'amount' => '3.50', 'reason' => 'Late <b>parcel</b>' ) );
      wc_create_refund( array( 'order_id' => ${id}, 'amount' => '2.01', 'line_items' => array( $item->get_id() => array( 'qty' => 1, 'refund_total' => '2.01' ) ) ) );
      $order = wc_get_order( ${id} ); $order->update_status( 'refunded' ); echo json_encode( $order->get_total() );`);
    await send();
    const amounts = changes().map(({ change }) => [
      change.kind,
      change.amount_minor,
      change.reason,
    ]);
    const rest = Math.round(Number(total) * 100) - 350 - 201;
    expect(amounts).toEqual([
      ["refunded", 350, "Late parcel"],
      ["refunded", 201, undefined],
      ["refunded", rest, expect.any(String)],
    ]);
    expect(new Set(changes().map(({ event_id }) => event_id)).size).toBe(3);
    const cancelled = await order();
    gate.messages.length = 0;
    await status(cancelled, "cancelled");
    await send();
    expect(changes().map(({ event_id, change }) => [event_id, change])).toEqual([
      [`wc-${cancelled}-cancelled-1`, { kind: "cancelled", lines: null }],
    ]);
  });

  /** What a message of Gatehouse says of the payment. */
  const payment = (id: number, state: string) =>
    php(`Gatehouse\\WooCommerce\\Incoming::run( function () { $order = wc_get_order( ${id} );
      $order->update_meta_data( '_gatehouse_payment_state', '${state}' ); $order->save();
      Gatehouse\\WooCommerce\\Held_Refunds::follow( $order, '${state}' ); } ); echo 1;`);
  const refund = (id: number, amount: string): Promise<number> =>
    php(
      `echo wc_create_refund( array( 'order_id' => ${id}, 'amount' => '${amount}' ) )->get_id();`,
    );

  test("are captured without what was refunded before the capture, once", async () => {
    const id = await order();
    await payment(id, "authorized");
    await refund(id, "3.00");
    await refund(id, "2.00");
    await sendNow();
    expect(changes()).toEqual([]);
    expect((await notes(id)).join()).toContain("The payment is not captured yet.");
    gate.answers = {
      "order.change": () => ({ type: "order.change.answer", state: "refused", problem: "No." }),
    };
    await status(id, "completed");
    await sendNow();
    gate.answers = {};
    await status(id, "processing");
    await status(id, "completed");
    const late = await refund(id, "1.00");
    await payment(id, "captured");
    await sendNow();
    const lowered = { kind: "sent", lines: null, capture: true, refunded_minor: 500 };
    expect(changes().map(({ event_id, change }) => [event_id, change])).toEqual([
      [`wc-${id}-sent-1`, lowered],
      [`wc-${id}-sent-2`, lowered],
      [`wc-${id}-refund-${late}`, { kind: "refunded", amount_minor: 100 }],
    ]);
    expect((await notes(id)).join()).toContain(
      "captured the payment. The 5.00 EUR that you refunded before was not captured, or was refunded",
    );
    await payment(id, "captured");
    expect(await sendNow()).toBe(0);
    expect(changes()).toHaveLength(3);
  });

  test("are refunded after a capture by what was refunded while the capture waited", async () => {
    const id = await order();
    await payment(id, "authorized");
    await status(id, "completed");
    await status(id, "processing");
    const held = await refund(id, "2.00");
    await status(id, "completed");
    await sendNow();
    await payment(id, "captured");
    await sendNow();
    expect(changes().map(({ event_id, change }) => [event_id, change])).toEqual([
      [`wc-${id}-sent-1`, { kind: "sent", lines: null, capture: true }],
      [`wc-${id}-refund-${held}`, { kind: "refunded", amount_minor: 200 }],
    ]);
  });

  test("are refunded after a capture in the console by what was refunded before it", async () => {
    const id = await order();
    await payment(id, "authorized");
    const held = await refund(id, "3.00");
    expect(await waiting()).toBe(0);
    await payment(id, "captured");
    await payment(id, "captured");
    await status(id, "completed");
    await sendNow();
    expect(changes().map(({ event_id, change }) => [event_id, change.refunded_minor])).toEqual([
      [`wc-${id}-refund-${held}`, undefined],
      [`wc-${id}-sent-1`, undefined],
    ]);
  });

  test("are refunded if the payment is captured in the moment when the refund is entered", async () => {
    const id = await order();
    await payment(id, "authorized");
    // Another request notes the capture and finds no refund to send, after this one has read the order.
    const held =
      await php(`$capture = function ( $amount ) { global $wpdb; $wpdb->update( $wpdb->prefix . 'wc_orders_meta', array( 'meta_value' => 'captured' ), array( 'order_id' => ${id}, 'meta_key' => '_gatehouse_payment_state' ) ); return $amount; };
      add_action( 'woocommerce_order_refunded', fn() => add_filter( 'woocommerce_order_refund_get_amount', $capture ), 9 );
      echo wc_create_refund( array( 'order_id' => ${id}, 'amount' => '2.00' ) )->get_id();`);
    await sendNow();
    expect(changes().map(({ event_id }) => event_id)).toEqual([`wc-${id}-refund-${held}`]);
  });

  describe("whose change was stored by PHP that then stopped", () => {
    /** Does something in PHP that is killed after it has stored this, before the hooks for it. */
    const stopAt = async (hook: string, code: string) => {
      const killed = `add_action( '${hook}', fn() => posix_kill( getmypid(), 9 ), 1 );`;
      await expect(php(`${killed} ${code} echo 1;`)).rejects.toMatchObject({ signal: "SIGKILL" });
    };
    const refundAndStop = (id: number, amount: string) =>
      stopAt(
        "woocommerce_refund_created",
        `wc_create_refund( array( 'order_id' => ${id}, 'amount' => '${amount}' ) );`,
      );
    const intents = (id: number): Promise<number> =>
      php(
        `global $wpdb; echo json_encode( (int) $wpdb->get_var( 'SELECT COUNT(*) FROM ' . Gatehouse\\Storage::order_changes() . " WHERE shop_order_id = ${id} AND event_id LIKE '%-intent'" ) );`,
      );
    const refundsOf = (id: number): Promise<number[]> =>
      php(
        `echo json_encode( array_map( fn( $refund ) => $refund->get_id(), wc_get_order( ${id} )->get_refunds() ) );`,
      );

    test("send its refund and the next one, once each", async () => {
      const id = await order();
      await refundAndStop(id, "3.00");
      const second = await refund(id, "2.00");
      expect(await intents(id)).toBe(1);
      await send();
      expect(changes()).toEqual([]);
      expect(await sendNow()).toBe(0);
      const first = (await refundsOf(id)).find((one) => one !== second);
      expect(changes().map(({ event_id, change }) => [event_id, change.amount_minor])).toEqual([
        [`wc-${id}-refund-${second}`, 200],
        [`wc-${id}-refund-${first}`, 300],
      ]);
    });

    test("hold its refund and the next one before the capture, with one note each", async () => {
      const id = await order();
      await payment(id, "authorized");
      await refundAndStop(id, "3.00");
      await refund(id, "2.00");
      expect(await sendNow()).toBe(0);
      expect(changes()).toEqual([]);
      const held = (await notes(id)).filter((note) => note.includes("The payment is not captured"));
      expect(held).toHaveLength(2);
      await status(id, "completed");
      await sendNow();
      expect(changes().map(({ change }) => change)).toEqual([
        { kind: "sent", lines: null, capture: true, refunded_minor: 500 },
      ]);
    });

    test("are captured if they were completed, even if another request says that such a change is queued", async () => {
      const id = await order();
      await stopAt(
        "woocommerce_order_status_changed",
        `wc_get_order( ${id} )->update_status( 'completed' );`,
      );
      // Another request, which has no intent.
      await php(
        `Gatehouse\\WooCommerce\\Order_Intents::end( ${id}, Gatehouse\\WooCommerce\\Order_Intents::STATUS ); echo 1;`,
      );
      expect(await sendNow()).toBe(0);
      expect(changes().map(({ event_id }) => event_id)).toEqual([`wc-${id}-sent-1`]);
    });

    test("have five intents of a kind at most, and the oldest stand for what comes after them", async () => {
      const id = await order();
      for (let n = 0; n < 6; n++) await refundAndStop(id, "0.50");
      expect(await intents(id)).toBe(5);
      await refund(id, "0.25");
      expect(await intents(id)).toBe(5);
      expect(await sendNow()).toBe(0);
      expect(new Set(changes().map(({ event_id }) => event_id)).size).toBe(7);
      expect(changes()).toHaveLength(7);
    });
  });

  test("lose the notice about a refund when the same refund is done later", async () => {
    const id = await order();
    const notices = () =>
      php(
        `echo json_encode( array_values( array_filter( get_option( 'gatehouse_order_notices', array() ), fn( $one ) => ${id} === $one['order'] ) ) );`,
      );
    gate.answers = {
      "order.change": () => ({ type: "order.change.answer", state: "refused", problem: "No." }),
    };
    const first = await refund(id, "3.00");
    await sendNow();
    expect(await notices()).toHaveLength(1);
    gate.answers = {};
    await php(`wc_get_order( ${first} )->delete( true ); echo 1;`);
    await refund(id, "2.00");
    await sendNow();
    expect(await notices()).toHaveLength(1);
    await refund(id, "3.00");
    await sendNow();
    expect(await notices()).toEqual([]);
  });

  test("are cancelled if all is refunded before the capture, and nothing is refunded later", async () => {
    const id = await order();
    await payment(id, "authorized");
    await refund(id, "3.00");
    await status(id, "refunded");
    await sendNow();
    expect(changes().map(({ change }) => change)).toEqual([
      { kind: "cancelled", lines: null, reason: expect.any(String) },
    ]);
    await payment(id, "released");
    await payment(id, "captured");
    expect(await sendNow()).toBe(0);
    expect(changes()).toHaveLength(1);
  });

  test("wait in order while Gatehouse is wrong, busy or waits for the provider, with the same event", async () => {
    const id = await order();
    await status(id, "completed");
    await php(`wc_create_refund( array( 'order_id' => ${id}, 'amount' => '1.00' ) ); echo 1;`);
    for (const mode of WRONG_MODES) {
      gate.mode = mode;
      await sendNow();
    }
    gate.mode = "honest";
    gate.answers["order.change"] = () => ({ http: 409, error: "conflict" });
    await sendNow();
    gate.answers["order.change"] = () => ({ type: "order.change.answer", state: "pending" });
    await sendNow();
    expect(new Set(changes().map(({ event_id }) => event_id))).toEqual(
      new Set([`wc-${id}-sent-1`]),
    );
    expect(await waiting()).toBe(2);
    gate.answers = {};
    gate.messages.length = 0;
    gate.mode = "packed";
    await sendNow();
    expect(changes().map(({ change }) => change.kind)).toEqual(["sent", "refunded"]);
    expect(await waiting()).toBe(0);
  });

  test("are sent at once although a change of another order waits to be tried again", async () => {
    const [busy, free] = [await order(), await order()];
    gate.answers["order.change"] = () => ({ http: 409, error: "conflict" });
    await status(busy, "completed");
    await send();
    await sendNow();
    gate.answers = {};
    gate.messages.length = 0;
    await status(free, "completed");
    const dueAt = php(
      "echo as_next_scheduled_action( 'gatehouse_send_order_changes', null, Gatehouse\\WooCommerce\\Work::GROUP ) - time();",
    );
    expect(await dueAt).toBeLessThanOrEqual(0);
    await send();
    expect(changes().map(({ event_id }) => event_id)).toEqual([`wc-${free}-sent-1`]);
    expect(await sendNow()).toBe(0);
  });

  test("that Gatehouse refuses to change get a note and a notice, and the next try is another event", async () => {
    gate.answers["order.change"] = () => ({
      type: "order.change.answer",
      state: "refused",
      problem: "The payment has <script>alert(1)</script>expired.",
    });
    const id = await order();
    await status(id, "completed");
    await send();
    expect((await notes(id)).join()).toContain(
      "Gatehouse did not mark the order as sent. The payment has expired.",
    );
    const owner = browser(wordpress.url);
    await owner.signIn(wordpress.admin);
    const { text } = await owner.send("/wp-admin/admin.php?page=wc-orders");
    expect(text).toContain("The payment has expired.");
    expect(text).not.toContain("<script>alert");
    expect((await owner.send("/wp-admin/index.php")).text).not.toContain(
      "The payment has expired.",
    );
    const form = { action: "gatehouse_dismiss", _wpnonce: "wrong" };
    expect((await owner.send("/wp-admin/admin-post.php", form)).status).toBe(403);
    const nonce =
      /value="gatehouse_dismiss">.*?name="_wpnonce" value="(\w+)"/s.exec(text)?.[1] ?? "";
    expect(
      (await owner.send("/wp-admin/admin-post.php", { ...form, _wpnonce: nonce })).status,
    ).toBe(302);
    expect((await owner.send("/wp-admin/admin.php?page=wc-orders")).text).not.toContain(
      "has expired.",
    );
    gate.answers = {};
    gate.messages.length = 0;
    await status(id, "processing");
    await status(id, "completed");
    await send();
    expect(changes().map(({ event_id }) => event_id)).toEqual([`wc-${id}-sent-2`]);
  });

  test("that Gatehouse does not have are left to the owner after some tries", async () => {
    gate.answers["order.change"] = () => ({ http: 404, error: "not_found" });
    const id = await order();
    await status(id, "cancelled");
    const left: number[] = [];
    for (let n = 0; n < 4; n++) left.push(await sendNow());
    expect(left).toEqual([1, 1, 1, 0]);
    expect((await notes(id)).join()).toContain("Gatehouse does not have this order.");
  });

  /** Makes Gatehouse answer nothing valid for longer than the plugin tries. */
  async function giveUp() {
    gate.answers["order.change"] = () => ({ http: 401, error: "unauthorized" });
    expect(await sendNow()).toBeGreaterThan(0);
    await php(`$table = Gatehouse\\Storage::order_changes();
      $GLOBALS['wpdb']->query( "UPDATE $table SET created_at = created_at - 4 * 86400" ); echo 1;`);
    expect(await sendNow()).toBe(0);
    gate.answers = {};
    gate.messages.length = 0;
  }

  test("get a note after three days without an answer that the result is unknown", async () => {
    const id = await order();
    await refund(id, "1.00");
    await giveUp();
    const text = (await notes(id)).join();
    expect(text).toContain("It is not known whether Gatehouse refunded");
    expect(text).toContain("Check the clock of your server.");
    expect(text).not.toContain("The buyer has not received it.");
  });

  test("get a note on how to try again if a capture after a refund has no answer, and refund nothing twice", async () => {
    const id = await order();
    await payment(id, "authorized");
    await refund(id, "3.00");
    await status(id, "completed");
    await giveUp();
    const text = (await notes(id)).join();
    expect(text).toContain("captured the payment without the 3.00 EUR that you refunded before.");
    expect(text).toContain("To try again, set this order to Processing and complete it again.");
    // Gatehouse may have captured less, so the refund is not sent by itself.
    await payment(id, "captured");
    expect(await sendNow()).toBe(0);
    expect(changes()).toEqual([]);
    await status(id, "processing");
    await status(id, "completed");
    await sendNow();
    expect(changes().map(({ event_id, change }) => [event_id, change.refunded_minor])).toEqual([
      [`wc-${id}-sent-2`, 300],
    ]);
  });

  test("get a note about what did not reach Gatehouse before a disconnect, and refund nothing twice", async () => {
    const [waits, held] = [await order(), await order()];
    for (const id of [waits, held]) {
      await payment(id, "authorized");
      await refund(id, "3.00");
    }
    await status(waits, "completed");
    await php("echo json_encode( Gatehouse\\Connection::disconnect() );");
    const [ofWaiting, ofHeld] = [await notes(waits), await notes(held)];
    expect(ofWaiting[0]).toContain(
      "captured the payment without the 3.00 EUR that you refunded before. The shop was disconnected",
    );
    expect(ofHeld[0]).toContain("You refunded 3.00 EUR before the payment was captured");
    expect(ofHeld[0]).toContain("In the Gatehouse console, capture that much less");
    await wordpress.command("connect", {}, gate.code());
    await payment(held, "captured");
    expect(await sendNow()).toBe(0);
    await status(held, "completed");
    await status(waits, "processing");
    await status(waits, "completed");
    await sendNow();
    expect(changes().map(({ event_id, change }) => [event_id, change.refunded_minor])).toEqual([
      [`wc-${held}-sent-1`, 300],
      [`wc-${waits}-sent-2`, 300],
    ]);
  });

  test("and products have caused no notice of PHP", () => {
    expect(wordpress.complaints()).toEqual([]);
  });
});
