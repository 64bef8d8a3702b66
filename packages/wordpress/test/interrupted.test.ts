import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type ConnectedShop, type Json, orderOf, startConnectedShop } from "./connector-shop.ts";
import { hasMariadb, missing } from "./wordpress.ts";

const ENDED = "The database has ended a transaction. Gatehouse sends its message again.";

/** Another connection, with rows that make its transaction the one that MariaDB keeps. */
const OTHER = `
  $other = mysqli_init(); $other->real_connect( 'localhost', DB_USER, DB_PASSWORD, DB_NAME, 0, explode( ':', DB_HOST, 2 )[1] );
  $other->query( 'CREATE TABLE IF NOT EXISTS deadlocks ( n int )' );
  $other->query( 'START TRANSACTION' );
  $other->query( 'INSERT INTO deadlocks VALUES (1)' . str_repeat( ', (1)', 2000 ) );
  $other->query( "UPDATE $wpdb->options SET option_value = CONCAT( option_value, '.' ) WHERE option_name = 'blogdescription'" );`;

/** How the database ends a transaction after the stock of a product was changed in it. */
const ENDS = {
  SQLite: {
    "a query that fails":
      "$wpdb->suppress_errors(); $wpdb->query( 'SELECT 1 FROM no_such_table' );",
  },
  MariaDB: {
    "a connection that is lost": `( new wpdb( DB_USER, DB_PASSWORD, DB_NAME, DB_HOST ) )->query( 'KILL ' . $wpdb->dbh->thread_id ); usleep( 50000 );`,
    "a deadlock": `$other->query( "UPDATE $wpdb->postmeta SET meta_value = meta_value + 0 WHERE meta_key = '_stock' AND post_id = " . $product->get_id(), MYSQLI_ASYNC );
      usleep( 300000 ); $wpdb->suppress_errors();
      $wpdb->query( "UPDATE $wpdb->options SET option_value = CONCAT( option_value, '!' ) WHERE option_name = 'blogdescription'" );
      $error = $wpdb->dbh->errno; $other->reap_async_query(); $other->rollback();
      if ( 1213 !== $error ) { throw new Error( "no deadlock: $error" ); }`,
  },
};

describe.each(["SQLite", "MariaDB"] as const)("a transaction of the plugin on %s", (database) => {
  const isMissing = database === "MariaDB" ? !hasMariadb() : missing !== undefined;
  let shop: ConnectedShop;
  beforeEach(({ skip }) => skip(isMissing));
  beforeAll(async () => {
    if (!isMissing) shop = await startConnectedShop(undefined, { mariadb: database === "MariaDB" });
  });
  afterAll(() => shop?.stop());

  /** Handles an order as the endpoint does, with PHP that runs when the stock of a product was changed. */
  const handle = (order: Json, inside: string, before = ""): Promise<string | null> =>
    shop.php(`global $wpdb; ${before}
      add_action( 'woocommerce_product_set_stock', function ( $product ) use ( &$other ) { global $wpdb; ${inside} } );
      try { Gatehouse\\WooCommerce\\Incoming::run( fn() => Gatehouse\\WooCommerce\\Order::answer( Gatehouse\\WooCommerce\\Fields::read( '${JSON.stringify({ order })}' ) ) ); $thrown = null; }
      catch ( Throwable $error ) { $thrown = $error->getMessage(); }
      echo json_encode( $thrown )`);
  /** What the shop has of an order, by what Gatehouse calls it. */
  const books = (order: Json): Promise<Json> =>
    shop.php(`global $wpdb; $id = (int) $wpdb->get_var( "SELECT order_id FROM {$wpdb->prefix}wc_orders_meta WHERE meta_key = '_gatehouse_order_id' AND meta_value = '${order.order_id}'" );
      $order = wc_get_order( $id ); $item = current( $order->get_items() );
      echo json_encode( array( $order->get_status(), $item->get_product()->get_stock_quantity(), (int) $item->get_meta( '_reduced_stock' ), (bool) $order->get_data_store()->get_stock_reduced( $id ),
        count( array_filter( wc_get_order_notes( array( 'order_id' => $id ) ), fn( $note ) => str_contains( $note->content, 'Stock levels reduced' ) ) ) ) )`);
  const send = (order: Json) => shop.send({ type: "order", order });
  let sku = 20;
  async function reserved(): Promise<Json> {
    const wanted = await shop.reservation(`SHOP-0${++sku}`, 2);
    await shop.send(wanted);
    return orderOf(wanted);
  }
  const NOTHING = ["pending", 100, 0, false, 0];
  const COMPLETE = ["processing", 98, 2, true, 1];

  test.each(Object.entries(ENDS[database]))(
    "that %s ends stores nothing, and the next message completes the work",
    async (name, end) => {
      const order = await reserved();
      expect(await handle(order, end, name === "a deadlock" ? OTHER : "")).toBe(ENDED);
      expect(await books(order)).toEqual(NOTHING);
      await send(order);
      expect(await books(order)).toEqual(COMPLETE);
    },
  );

  test.runIf(database === "MariaDB")(
    "is one although the connection is lost while it begins",
    async () => {
      const order = await reserved();
      const lost = `add_filter( 'query', function ( $query ) { global $wpdb;
        if ( str_starts_with( $query, 'SAVEPOINT gatehouse_whole' ) && 'START TRANSACTION' === $wpdb->last_query ) { ${ENDS.MariaDB["a connection that is lost"]} }
        return $query; } );`;
      const failing = "throw new Error( 'a plugin has failed' );";
      expect(await handle(order, failing, lost)).toBe("a plugin has failed");
      expect(await books(order)).toEqual(NOTHING);
      expect(await handle(order, "", lost)).toBeNull();
      expect(await books(order)).toEqual(COMPLETE);
    },
  );

  test("is stored completely even if another plugin creates a table during it", async () => {
    const order = await reserved();
    const table = "$wpdb->query( 'CREATE TABLE IF NOT EXISTS of_a_plugin ( n int )' );";
    expect(await handle(order, table)).toBeNull();
    expect(await books(order)).toEqual(COMPLETE);
  });

  test("is not stored in parts by a transaction of another plugin inside it", async () => {
    const order = await reserved();
    const set = (title: string) => `update_option( 'blogname', '${title}' );`;
    const inner = `wc_transaction_query( 'start' ); ${set("rolled back")} wc_transaction_query( 'rollback' );
      wc_transaction_query( 'start' ); ${set("kept")} wc_transaction_query( 'commit' );`;
    const failing = `${inner} throw new Error( 'a plugin has failed' );`;
    expect(await handle(order, failing)).toBe("a plugin has failed");
    expect(await books(order)).toEqual(NOTHING);
    expect(await handle(order, inner)).toBeNull();
    expect(await books(order)).toEqual(COMPLETE);
    expect(await shop.php("echo json_encode( get_option( 'blogname' ) )")).toBe("kept");
  });
});
