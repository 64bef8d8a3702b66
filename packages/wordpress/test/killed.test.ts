import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AT_ONCE, DEADLY, type Deadly, isUnanswered, mortalWorkers, runAtOnce } from "./at-once.ts";
import {
  type ConnectedShop,
  fresh,
  type Json,
  orderOf,
  startConnectedShop,
} from "./connector-shop.ts";
import { hasMariadb, missing } from "./wordpress.ts";

/** A sample in the release tier; `npm run test:long -- wordpress-killed` kills at every query. */
const STEP = Number(process.env.SHOP_KILL_STEP ?? 37);
const WORKERS = 24;
const TEST_MS_MAX = 60_000 + 1_200_000 / STEP;
const QUANTITY = 2;
const STOCK = 50;
/** Products of the kit that are sent and counted. */
const [NUMBER_MIN, NUMBER_MAX] = [9, 50];
const points = (kind: Deadly) =>
  Array.from({ length: Math.ceil(DEADLY[kind].queries / STEP) }, (_, n) => n * STEP);

/** A worker that dies, or whose connection the database ends, which WordPress replaces silently. */
const FATES = ["worker", "connection"] as const;

describe.each(FATES)("a %s of PHP that is killed at any query", (what) => {
  const isMissing = what === "worker" ? missing !== undefined : !hasMariadb();
  let shop: ConnectedShop;
  let workers: ReturnType<typeof mortalWorkers>;
  const php = (code: string): Promise<Json> => runAtOnce(shop.wordpress.port, code);
  beforeEach(({ skip }) => skip(isMissing));
  beforeAll(async () => {
    if (isMissing) return;
    shop = await startConnectedShop(() => AT_ONCE, {
      workers: WORKERS,
      ...(what === "connection" && { mariadb: true }),
    });
    workers = mortalWorkers(shop.wordpress, WORKERS);
  });
  afterAll(() => shop?.stop());

  /** Does something that does not end well. */
  async function die(kind: Deadly, queries: number, act: () => Promise<unknown>): Promise<void> {
    if (what === "connection") {
      workers.kill(kind, queries, what);
      await act().catch((error: Error) => {
        if (!error.message.startsWith("status 503")) throw error;
      });
      return workers.spare();
    }
    await workers.revive();
    const before = workers.deaths();
    while (workers.deaths() === before) {
      workers.kill(kind, queries);
      const answer = await act().catch((error) => {
        if (!isUnanswered(error)) throw error;
      });
      // The first process of the server has answered it, and stays.
      if (answer !== undefined) return workers.spare();
    }
    // So much later that its locks count as left behind.
    await php(
      "$GLOBALS['wpdb']->query( \"DELETE FROM {$GLOBALS['wpdb']->options} WHERE option_name LIKE 'gatehouse_lock_%'\" ); echo 1;",
    );
  }

  let number = NUMBER_MIN;
  /** Of a product that nothing else buys, as long as there are some. */
  async function reservation(): Promise<Json> {
    number = number === NUMBER_MAX ? NUMBER_MIN : number + 1;
    const sku = `SHOP-0${String(number).padStart(2, "0")}`;
    await php(
      `$p = wc_get_product( ${shop.products[sku]} ); $p->set_stock_quantity( ${STOCK} ); $p->save(); echo 1;`,
    );
    return shop.reservation(sku, QUANTITY);
  }

  /** What the shop has of a reservation and of its order. */
  const books = ({ reservation_id, lines }: Json): Promise<Json> =>
    php(`global $wpdb;
      $row    = $wpdb->get_row( "SELECT state, shop_order_id FROM " . Gatehouse\\Storage::reservations() . " WHERE id = '" . hash( 'sha256', '${reservation_id}' ) . "'" );
      $orders = wc_get_orders( array( 'limit' => -1, 'type' => 'shop_order', 'status' => array( ...array_keys( wc_get_order_statuses() ), 'trash' ), 'date_created' => '>' . ( \\time() - 3600 ) ) );
      $orders = array_filter( $orders, fn( $o ) => ! $o->has_status( 'checkout-draft' ) && ! $o->get_meta( '_seen' ) );
      foreach ( $orders as $o ) { $o->update_meta_data( '_seen', 'yes' ); $o->save_meta_data(); }
      echo json_encode( array(
        'state'  => $row->state ?? null,
        'orders' => array_values( array_map( fn( $o ) => array( $o->get_status(), $o->get_id() === (int) $row->shop_order_id ), $orders ) ),
        'stock'  => wc_get_product( ${lines[0].product_id} )->get_stock_quantity(),
        'held'   => (int) $wpdb->get_var( "SELECT COALESCE( SUM( stock_quantity ), 0 ) FROM $wpdb->wc_reserved_stock WHERE expires > NOW() AND product_id = ${lines[0].product_id}" ),
      ) );`);

  /** Does something for every query, and compares the books. */
  async function sweep(
    kind: Deadly,
    expected: Json,
    trade: (message: Json, queries: number) => Promise<Json>,
  ): Promise<void> {
    const faults: Json[] = [];
    for (const queries of points(kind)) {
      const message = await reservation();
      const answer = await trade(message, queries).catch((error: Error) => error.message);
      const found = { answer, ...(await books(message)) };
      if (!isDeepStrictEqual(found, expected)) faults.push([queries, found]);
    }
    expect(faults.map((fault) => JSON.stringify(fault)).join("\n")).toBe("");
  }

  const ordered = { state: "ordered", orders: [["processing", true]], held: 0 };
  const reserve = async (message: Json) => {
    expect((await shop.send(message)).state).toBe("reserved");
    return orderOf(message);
  };

  test(
    "leaves an order that the next message completes, with its stock reduced once",
    () =>
      sweep(
        "order",
        { answer: "string", ...ordered, stock: STOCK - QUANTITY },
        async (message, queries) => {
          const order = await reserve(message);
          await die("order", queries, () => shop.send({ type: "order", order }));
          return typeof (await shop.send({ type: "order", order })).shop_order_id;
        },
      ),
    TEST_MS_MAX,
  );

  test(
    "leaves an order whose cancelled goods are returned once, and whose refund is recorded once",
    () =>
      sweep(
        "order",
        { answer: ["1.00"], ...ordered, stock: STOCK - QUANTITY + 1 },
        async (message, queries) => {
          const order = await reserve(message);
          const { shop_order_id } = await shop.send({ type: "order", order });
          const [line] = order.lines;
          const refund = { refund_id: fresh("re"), amount_minor: 100, state: "completed" };
          const changed = {
            ...order,
            revision: 2,
            lines: [{ ...line, cancelled: 1 }],
            payment: { ...order.payment, state: "captured", captured_minor: order.total_minor },
            refunds: [{ ...refund, origin_event_id: null }],
          };
          await die("order", queries, () => shop.send({ type: "order", order: changed }));
          await shop.send({ type: "order", order: changed });
          return php(
            `echo json_encode( array_values( array_filter( array_map( fn( $r ) => $r->get_amount(), wc_get_order( ${shop_order_id} )->get_refunds() ), fn( $amount ) => (float) $amount > 0 ) ) );`,
          );
        },
      ),
    TEST_MS_MAX,
  );

  test(
    "leaves an order that is cancelled, with its stock returned once",
    () =>
      sweep(
        "order",
        { answer: "string", ...ordered, orders: [["cancelled", true]], stock: STOCK },
        async (message, queries) => {
          const order = await reserve(message);
          await shop.send({ type: "order", order });
          const cancelled = order.lines.map((line: Json) => ({ ...line, cancelled: QUANTITY }));
          const changed = { ...order, revision: 2, lines: cancelled };
          await die("order", queries, () => shop.send({ type: "order", order: changed }));
          return typeof (await shop.send({ type: "order", order: changed })).shop_order_id;
        },
      ),
    TEST_MS_MAX,
  );

  test(
    "leaves a reservation that can be asked for again, and released",
    () =>
      sweep(
        "reserve",
        { answer: "release.answer", state: "released", orders: [], stock: STOCK, held: 0 },
        async (message, queries) => {
          await die("reserve", queries, () => shop.send(message));
          if (queries % 2 === 0) await reserve(message);
          const release = { type: "release", reservation_id: message.reservation_id };
          await die("release", queries % DEADLY.release.queries, () => shop.send(release));
          return (await shop.send(release)).type;
        },
      ),
    TEST_MS_MAX,
  );

  /** An order of which the payment is captured, so that refunds are sent at once. */
  async function capturedOrder(): Promise<string> {
    const order = await reserve(await reservation());
    const captured = { state: "captured", captured_minor: order.total_minor };
    const payment = { ...order.payment, ...captured };
    return (await shop.send({ type: "order", order: { ...order, payment } })).shop_order_id;
  }

  test.each([
    [
      "status",
      "wc_get_order( ID )->update_status( 'completed' );",
      "$order->has_status( 'completed' )",
    ],
    [
      "refund",
      "wc_create_refund( array( 'order_id' => ID, 'amount' => '1.00' ) );",
      "array() !== array_filter( $order->get_refunds(), fn( $refund ) => $refund->get_amount() > 0 )",
    ],
  ])(
    "leaves a %s of the owner that is sent to Gatehouse if it was stored",
    async (_, change, stored) => {
      const faults: Json[] = [];
      for (const queries of points("owner")) {
        const id = await capturedOrder();
        await die("owner", queries, () =>
          php(`${change.replaceAll("ID", id)} echo 1; // the owner`),
        );
        // As after some minutes. Gatehouse is down, so everything stays in the queue.
        const [isStored, events] =
          await php(`global $wpdb; $table = Gatehouse\\Storage::order_changes();
          $wpdb->query( "UPDATE $table SET not_before = 0" );
          Gatehouse\\WooCommerce\\Order_Change_Sender::run();
          $order = wc_get_order( ${id} );
          echo json_encode( array( ${stored}, $wpdb->get_col( "SELECT event_id FROM $table WHERE shop_order_id = ${id}" ) ) );`);
        if (events.length !== (isStored ? 1 : 0)) faults.push([queries, isStored, events]);
      }
      expect(faults.map((fault) => JSON.stringify(fault)).join("\n")).toBe("");
    },
    TEST_MS_MAX,
  );
});
