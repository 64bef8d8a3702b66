<?php
/**
 * Orders.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

defined( 'ABSPATH' ) || exit;

/**
 * Creates the shop's order for an order of Gatehouse, and keeps it as Gatehouse has it.
 */
final class Order {
	public const META_ID       = '_gatehouse_order_id';
	public const META_REVISION = '_gatehouse_revision';
	/**
	 * At an order: its own id. A copy of an order has that of another one, and is not an order of Gatehouse.
	 */
	public const META_SELF = '_gatehouse_shop_order_id';
	/**
	 * At an item: the line of Gatehouse that it is. Several lines with one product are one item.
	 */
	public const META_LINE = '_gatehouse_line_id';

	/**
	 * How many copies of an order are looked through.
	 */
	private const COPIES_MAX = 20;

	/**
	 * Answers a message of the type order.
	 *
	 * @param Fields $fields What was sent.
	 * @return array<string, string>
	 */
	public static function answer( Fields $fields ): array {
		$message = Order_Message::read( $fields->fields( 'order' ) );
		return array(
			'type'          => 'order.answer',
			'shop_order_id' => (string) Reservations::lock( $message->reservation_id, static fn(): int => self::apply( $message ) ),
		);
	}

	/**
	 * Applies a message. Each step changes nothing if it was done before, as after a crash.
	 *
	 * @param Order_Message $message The order at Gatehouse.
	 * @return int Id of the shop's order.
	 */
	private static function apply( Order_Message $message ): int {
		$known = Reservations::find( $message->reservation_id );
		$order = self::find( $message->order_id, $known['shop_order_id'] ?? 0 );
		if ( null === $order && Reservations::ORDERED === ( $known['state'] ?? '' ) ) {
			// Somebody has deleted it.
			return $known['shop_order_id'];
		}
		$revision = null === $order ? '' : $order->get_meta( self::META_REVISION );
		if ( null !== $order && ( ( '' !== $revision && (int) $revision >= $message->revision ) || $order->has_status( 'trash' ) ) ) {
			return $order->get_id();
		}
		$order ??= New_Order::begin( $message, Draft_Order::find( $known['shop_order_id'] ?? 0 ) );
		if ( '' === $revision ) {
			Reservations::go_on();
			New_Order::complete( $order, $message );
		}
		Order_Changes::apply( $order->get_id(), $message );
		Reservations::go_on();
		$order = wc_get_order( $order->get_id() );
		$order->update_meta_data( self::META_REVISION, (string) $message->revision );
		$order->save();
		return $order->get_id();
	}

	/**
	 * The shop's order; null if there is none. Its reservation usually knows it. After the shop was connected again,
	 * only the order itself does.
	 *
	 * @param string $order_id      Id at Gatehouse.
	 * @param int    $shop_order_id What the reservation became.
	 */
	private static function find( string $order_id, int $shop_order_id ): ?\WC_Order {
		$order = wc_get_order( $shop_order_id );
		if ( self::is_own( $order ) && $order->get_meta( self::META_ID ) === $order_id ) {
			return $order;
		}
		$orders = wc_get_orders(
			array(
				'type'       => 'shop_order',
				'limit'      => self::COPIES_MAX,
				'orderby'    => 'ID',
				'order'      => 'ASC',
				'status'     => array( ...array_keys( wc_get_order_statuses() ), 'trash' ),
				// phpcs:ignore WordPress.DB.SlowDBQuery -- WooCommerce has an index for it, and this is rare.
				'meta_key'   => self::META_ID,
				// phpcs:ignore WordPress.DB.SlowDBQuery -- as above.
				'meta_value' => $order_id,
			)
		);
		$found = array_filter( $orders, static fn( mixed $one ): bool => self::is_own( $one ) && $one->get_meta( self::META_ID ) === $order_id );
		return array_values( $found )[0] ?? null;
	}

	/**
	 * Whether something is an order of Gatehouse. Plugins that copy orders copy what is noted at them too.
	 *
	 * @param mixed $order An order, or anything else.
	 */
	public static function is_own( mixed $order ): bool {
		return $order instanceof \WC_Order && '' !== $order->get_meta( self::META_ID ) && $order->get_meta( self::META_SELF ) === (string) $order->get_id();
	}
}
