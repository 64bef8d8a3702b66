import { shopOrder } from "../../server/src/purchase/orders/shop-order.ts";
import type { Json } from "./connector-shop.ts";
import type { Schedule, Traded } from "./schedule.ts";
import type { Unreliable } from "./unreliable.ts";

/** Longer than anybody waits before a message is sent again. */
const ROUND_S = 45 * 60;
const ROUNDS_MAX = 8;

/** What the shop's books say of the orders since one, of products, and of what waits. */
const READ_SHOP = (after: number, ids: readonly string[]) => `global $wpdb;
$orders = array();
foreach ( wc_get_orders( array( 'limit' => -1, 'type' => 'shop_order', 'created_via' => 'gatehouse', 'status' => array( ...array_keys( wc_get_order_statuses() ), 'checkout-draft', 'trash' ) ) ) as $o ) {
  if ( $o->get_id() <= ${after} ) { continue; }
  $lines = array();
  foreach ( $o->get_items() as $id => $item ) { $lines[] = array( (string) $item->get_product_id(), $item->get_quantity(), $o->has_status( 'cancelled' ) ? 0 : abs( $o->get_qty_refunded_for_item( $id ) ) ); }
  $orders[] = array( 'id' => $o->get_id(), 'order_id' => $o->get_meta( '_gatehouse_order_id' ), 'status' => $o->get_status(), 'lines' => $lines,
    'total' => (int) round( 100 * $o->get_total() ), 'refunded' => (int) round( 100 * $o->get_total_refunded() ),
    'notes' => array_column( wc_get_order_notes( array( 'order_id' => $o->get_id() ) ), 'content' ) );
}
$stock = array();
foreach ( array( ${ids.join(", ")} ) as $id ) { $p = wc_get_product( $id ); $stock[ (string) $id ] = array( $p->get_stock_quantity(), (int) round( 100 * $p->get_price() ) ); }
echo json_encode( array( 'orders' => $orders, 'stock' => $stock,
  'reserved' => (int) $wpdb->get_var( "SELECT COUNT(*) FROM $wpdb->wc_reserved_stock WHERE expires > NOW()" ),
  'reservations' => (int) $wpdb->get_var( "SELECT COUNT(*) FROM " . Gatehouse\\Storage::reservations() . " WHERE state = 'reserved'" ),
  'changes' => Gatehouse\\WooCommerce\\Order_Change_Queue::count(), 'products' => Gatehouse\\WooCommerce\\Changed_Products::count() ) );`;

/** How much waits to be sent or settled, on both sides. */
export async function waiting(world: Unreliable): Promise<number> {
  const of = async (sql: string) => Number((await world.db().all<{ n: number }>(sql))[0]?.n ?? 0);
  const messages = await of("SELECT COUNT(*) AS n FROM outbox WHERE state = 'waiting'");
  const payments = await of(
    "SELECT COUNT(*) AS n FROM payments WHERE status NOT IN ('authorized', 'declined', 'released')",
  );
  const changes = await of(
    "SELECT COUNT(*) AS n FROM payment_changes WHERE status NOT IN ('completed', 'failed')",
  );
  const inShop = await world.php(
    "echo Gatehouse\\WooCommerce\\Order_Change_Queue::count() + Gatehouse\\WooCommerce\\Changed_Products::count();",
  );
  return messages + payments + changes + inShop;
}

/** Both are up, nothing is lost any more, and time goes on until nothing waits. */
export async function settle(world: Unreliable, { purchases }: Schedule): Promise<void> {
  const lines = Object.values(world.lines);
  world.workers.spare();
  for (const line of lines) {
    line.isDown = false;
    line.fault = () => undefined;
  }
  world.webhooks.refuses = () => false;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    for (const line of lines) await line.sendLate();
    await Promise.all(lines.map((line) => line.idle()));
    await purchases.askAgain();
    world.moveClock(ROUND_S);
    await world.reconcile();
    await world.deliver();
    await world.sendFromShop();
    if (round > 0 && (await waiting(world)) === 0) return;
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

/** What Gatehouse and the provider say of one order, in the words of the shop's books. */
async function ourOrder(world: Unreliable, orderId: string, attemptId: string) {
  const order = await shopOrder(world.context(), world.shop.site_key_hash, orderId);
  const [charge] = await world
    .db()
    .all<Json>("SELECT * FROM sandbox_authorizations WHERE idempotency_key = ?", attemptId);
  const returns = await world
    .db()
    .all<Json>("SELECT * FROM sandbox_returns WHERE reference = ?", charge?.reference ?? "");
  const completed = order?.refunds.filter(({ state }) => state === "completed") ?? [];
  const lines = order?.lines ?? [];
  const isCancelled = lines.every(({ quantity, cancelled }) => cancelled === quantity);
  const isSent = lines.every(({ quantity, cancelled, sent }) => cancelled + sent === quantity);
  return {
    status: isCancelled ? "cancelled" : isSent ? "completed" : "processing",
    lines: lines.map(({ product_id, quantity, cancelled }) => [
      product_id,
      quantity,
      isCancelled ? 0 : cancelled,
    ]),
    kept: sum(lines.map(({ quantity, cancelled }) => quantity - cancelled)),
    total: order?.total_minor,
    refunded: sum(completed.map(({ amount_minor }) => amount_minor)),
    returned: sum(returns.map(({ amount_minor }) => amount_minor)),
    paid: order?.payment.state,
    charge: charge?.status,
  };
}

/** What is wrong with the webhooks of an order: its platform must know it as it is now, and each change once. */
async function webhookFaults(
  world: Unreliable,
  orderId: string,
  { wasKilled }: Schedule,
): Promise<string[]> {
  const { at, shop, webhooks } = world;
  const heard = webhooks.accepted.filter(({ body }) => JSON.parse(body).id === orderId);
  // A process that dies between sending and writing that down leaves it to be sent again, with the same bytes.
  const ids = heard.map(({ headers, body }) => `${headers["webhook-id"]} ${wasKilled ? body : ""}`);
  const news = wasKilled ? [...new Set(ids)].map((id) => id.split(" ")[0]) : ids;
  const twice = news.filter((id, i) => news.indexOf(id) !== i);
  const now = JSON.stringify((await at.readOrder(shop, orderId)).body);
  const last =
    heard.length === 0 ? undefined : JSON.stringify(JSON.parse(heard.at(-1)?.body ?? ""));
  return [
    ...twice.map((id) => `webhook ${id} of ${orderId} was accepted twice`),
    ...(last === now ? [] : [`the platform last heard of ${orderId}: ${last}, but it is ${now}`]),
  ];
}

/** Everything that does not agree after a schedule; empty if all books do. `after`: the last order before it. */
export async function disagreements(
  world: Unreliable,
  schedule: Schedule,
  products: readonly Traded[],
  after: number,
  since: number,
): Promise<string[]> {
  const faults = [...schedule.faults];
  const agree = (what: string, shop: unknown, ours: unknown) => {
    const [a, b] = [JSON.stringify(shop), JSON.stringify(ours)];
    if (a !== b) faults.push(`${what}: ${a} in the shop, ${b} expected`);
  };
  const ids = products.map(({ id }) => id);
  const books = await world.php(READ_SHOP(after, ids));
  const rows = await world
    .db()
    .all<Json>(
      "SELECT order_id, attempt_id, checkout_id FROM orders WHERE created_at >= ? ORDER BY order_id",
      since,
    );
  // WooCommerce removes a draft that is no order: a worker died before it was one.
  if (schedule.wasKilled) {
    books.orders = books.orders.filter(
      ({ status, order_id }: Json) => status !== "checkout-draft" || order_id !== "",
    );
  }
  const inShop = books.orders.map(({ order_id }: Json) => order_id).sort();
  agree(
    "orders",
    inShop,
    rows.map(({ order_id }) => order_id),
  );
  const { purchases } = schedule;
  for (const id of purchases.told) if (!inShop.includes(id)) faults.push(`${id} is lost`);
  faults.push(...(await purchases.disagreements(rows.map(({ order_id }) => order_id))));
  const sold = new Map(ids.map((id) => [id, 0]));
  for (const { order_id, attempt_id, checkout_id } of rows) {
    if (checkout_id !== null) faults.push(...(await webhookFaults(world, order_id, schedule)));
    const { kept, returned, paid, charge, ...ours } = await ourOrder(world, order_id, attempt_id);
    const {
      id: _,
      order_id: __,
      notes,
      ...theirs
    } = books.orders.find((one: Json) => one.order_id === order_id) ?? { notes: [] };
    agree(order_id, Object.entries(theirs).sort(), Object.entries(ours).sort());
    agree(`refunds of ${order_id} at the provider`, theirs.refunded, returned);
    agree(`payment of ${order_id}`, charge, paid);
    const [[product = ""] = []] = ours.lines as [string][];
    sold.set(product, (sold.get(product) ?? 0) + kept);
  }
  const charged = await world
    .db()
    .all<Json>(
      "SELECT idempotency_key FROM sandbox_authorizations WHERE status IN ('authorized', 'captured') AND idempotency_key NOT IN (SELECT attempt_id FROM orders)",
    );
  agree("charges without an order", charged, []);
  for (const { id, stock, priceMinor } of products) {
    const [row] = await world
      .db()
      .all<Json>("SELECT quantity, reserved, price_minor FROM products WHERE product_id = ?", id);
    agree(`stock and price of ${id}`, books.stock[id], [stock - (sold.get(id) ?? 0), priceMinor]);
    const { quantity, reserved, price_minor } = row ?? {};
    // What the owner took away by hand may have been sold already. Agents see that nothing is left.
    const [left, price] = books.stock[id];
    agree(`product ${id}`, [Math.max(left, 0), price, 0], [quantity, price_minor, reserved]);
  }
  const { reserved, reservations } = books;
  agree("what is reserved or waits", [reserved, reservations, await waiting(world)], [0, 0, 0]);
  return faults;
}
