<?php
/**
 * Refunds that were made before the payment was captured.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

defined( 'ABSPATH' ) || exit;

/**
 * Nothing can be refunded before it is captured. Such a refund lowers the capture when the order is completed. If the
 * payment is captured first, such as in the console, the refund is sent then.
 *
 * A refund is marked as held until the order is completed. Then it has the id of the event that captures, until the
 * event is answered. If the event is never answered, the refund keeps this id: Gatehouse may have captured less, so
 * the refund is not sent by itself. Completing the order again takes it into the next event.
 */
final class Held_Refunds {
	/**
	 * At a refund: "yes" while no event contains it.
	 */
	private const META_HELD = '_gatehouse_held';
	/**
	 * At a refund: the id of the event that lowers the capture by it.
	 */
	private const META_EVENT = '_gatehouse_capture_event';

	/**
	 * Whether refunds of an order have to wait.
	 *
	 * @param \WC_Order $order The order.
	 */
	public static function are_needed( \WC_Order $order ): bool {
		return 'authorized' === $order->get_meta( Order_Changes::META_PAYMENT );
	}

	/**
	 * Holds a refund.
	 *
	 * @param \WC_Order        $order  The order.
	 * @param \WC_Order_Refund $refund The refund.
	 * @return bool False if a message of Gatehouse about the payment came meanwhile, so that it is not held any more.
	 */
	public static function hold( \WC_Order $order, \WC_Order_Refund $refund ): bool {
		self::mark( $refund, array( self::META_HELD => 'yes' ) );
		self::follow_one( $order, $refund, self::payment_now( $order ) );
		return self::is_held( $refund );
	}

	/**
	 * Takes all refunds that have not taken effect into a capture. Written before the event: what an event may contain
	 * is never sent by itself.
	 *
	 * @param \WC_Order $order    The order.
	 * @param string    $event_id Event that captures.
	 * @return int Their sum, in minor units.
	 */
	public static function take( \WC_Order $order, string $event_id ): int {
		return self::move( $order, self::of( $order ), $event_id );
	}

	/**
	 * Leaves the refunds that are held to the next capture. They are not sent by themselves any more.
	 *
	 * @param \WC_Order $order    The order.
	 * @param string    $event_id Event that captures next.
	 * @return int Their sum, in minor units.
	 */
	public static function leave( \WC_Order $order, string $event_id ): int {
		return self::move( $order, array_filter( self::of( $order ), array( self::class, 'is_held' ) ), $event_id );
	}

	/**
	 * An event was answered. If Gatehouse has refused it, its refunds are held again.
	 *
	 * @param \WC_Order $order    The order.
	 * @param string    $event_id The event.
	 * @param bool      $is_done  Whether Gatehouse has done it.
	 */
	public static function settle( \WC_Order $order, string $event_id, bool $is_done ): void {
		foreach ( self::of( $order ) as $refund ) {
			if ( $event_id === $refund->get_meta( self::META_EVENT ) ) {
				self::mark( $refund, $is_done ? array() : array( self::META_HELD => 'yes' ) );
			}
		}
		self::follow( $order, self::payment_now( $order ) );
	}

	/**
	 * Sends what is held if the payment is captured. Removes the marks if there is no payment any more.
	 *
	 * @param \WC_Order $order The order.
	 * @param string    $state Of the payment.
	 */
	public static function follow( \WC_Order $order, string $state ): void {
		foreach ( self::of( $order ) as $refund ) {
			self::follow_one( $order, $refund, $state );
		}
	}

	/**
	 * The same for one refund.
	 *
	 * @param \WC_Order        $order  The order.
	 * @param \WC_Order_Refund $refund The refund.
	 * @param string           $state  Of the payment.
	 */
	private static function follow_one( \WC_Order $order, \WC_Order_Refund $refund, string $state ): void {
		if ( 'captured' === $state && self::is_held( $refund ) ) {
			Order_Observer::add_refund( $order, $refund );
			self::mark( $refund, array() );
		} elseif ( in_array( $state, array( 'released', 'lapsed' ), true ) ) {
			self::mark( $refund, array() );
		}
	}

	/**
	 * The state of the payment, read again: a message that noted it meanwhile may have looked for refunds before one
	 * was marked as held.
	 *
	 * @param \WC_Order $order The order.
	 */
	private static function payment_now( \WC_Order $order ): string {
		$order->read_meta_data( true );
		return (string) $order->get_meta( Order_Changes::META_PAYMENT );
	}

	/**
	 * Orders with refunds that are held.
	 *
	 * @param int $limit At most so many refunds.
	 * @return \WC_Order[]
	 */
	public static function orders( int $limit ): array {
		$refunds = wc_get_orders(
			array(
				'type'       => 'shop_order_refund',
				'limit'      => $limit,
				// phpcs:ignore WordPress.DB.SlowDBQuery -- WooCommerce has an index for it, and this is rare.
				'meta_key'   => self::META_HELD,
				// phpcs:ignore WordPress.DB.SlowDBQuery -- as above.
				'meta_value' => 'yes',
			)
		);
		$ids     = array_unique( array_map( static fn( \WC_Order_Refund $refund ): int => $refund->get_parent_id(), $refunds ) );
		return array_filter( array_map( 'wc_get_order', $ids ), array( Order::class, 'is_own' ) );
	}

	/**
	 * Refunds that have not taken effect yet, as far as is known here.
	 *
	 * @param \WC_Order $order The order.
	 * @return \WC_Order_Refund[]
	 */
	private static function of( \WC_Order $order ): array {
		return array_filter( $order->get_refunds(), static fn( \WC_Order_Refund $refund ): bool => self::is_held( $refund ) || self::is_taken( $refund ) );
	}

	/**
	 * Whether an event contains a refund.
	 *
	 * @param \WC_Order_Refund $refund The refund.
	 */
	public static function is_taken( \WC_Order_Refund $refund ): bool {
		return '' !== (string) $refund->get_meta( self::META_EVENT );
	}

	/**
	 * Whether no event contains a refund yet.
	 *
	 * @param \WC_Order_Refund $refund The refund.
	 */
	public static function is_held( \WC_Order_Refund $refund ): bool {
		return 'yes' === $refund->get_meta( self::META_HELD );
	}

	/**
	 * Moves refunds into an event.
	 *
	 * @param \WC_Order          $order    The order.
	 * @param \WC_Order_Refund[] $refunds  The refunds.
	 * @param string             $event_id The event.
	 * @return int Their sum, in minor units.
	 */
	private static function move( \WC_Order $order, array $refunds, string $event_id ): int {
		$sum = 0;
		foreach ( $refunds as $refund ) {
			self::mark( $refund, array( self::META_EVENT => $event_id ) );
			$sum += Money::minor( $refund->get_amount(), $order->get_currency() );
		}
		return $sum;
	}

	/**
	 * Replaces the mark of a refund.
	 *
	 * @param \WC_Order_Refund      $refund The refund.
	 * @param array<string, string> $mark   The new mark by its key; empty for none.
	 */
	private static function mark( \WC_Order_Refund $refund, array $mark ): void {
		$refund->delete_meta_data( self::META_HELD );
		$refund->delete_meta_data( self::META_EVENT );
		foreach ( $mark as $key => $value ) {
			$refund->update_meta_data( $key, $value );
		}
		$refund->save_meta_data();
	}
}
