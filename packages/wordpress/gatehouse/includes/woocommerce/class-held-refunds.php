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
 * Nothing can be refunded before it is captured. Such a refund lowers the capture when the order is completed. If all
 * is captured first, such as in the console, it is refunded then.
 */
final class Held_Refunds {
	/**
	 * At a refund: HELD, or the id of the event whose capture it lowers.
	 */
	private const META = '_gatehouse_held';
	private const HELD = 'yes';

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
	 * @param \WC_Order_Refund $refund The refund.
	 */
	public static function hold( \WC_Order_Refund $refund ): void {
		self::mark( $refund, self::HELD );
	}

	/**
	 * Takes all refunds that wait into a capture. Written before the event: what an event may contain is never sent
	 * by itself.
	 *
	 * @param \WC_Order $order    The order.
	 * @param string    $event_id Event that captures.
	 * @return int Their sum, in minor units.
	 */
	public static function take( \WC_Order $order, string $event_id ): int {
		$sum = 0;
		foreach ( self::of( $order ) as $refund ) {
			self::mark( $refund, $event_id );
			$sum += Money::minor( $refund->get_amount(), $order->get_currency() );
		}
		return $sum;
	}

	/**
	 * An event was answered. If Gatehouse has refused it, its refunds wait again.
	 *
	 * @param \WC_Order $order    The order.
	 * @param string    $event_id The event.
	 * @param bool      $is_done  Whether Gatehouse has done it.
	 */
	public static function settle( \WC_Order $order, string $event_id, bool $is_done ): void {
		foreach ( self::of( $order ) as $refund ) {
			if ( $event_id === $refund->get_meta( self::META ) ) {
				self::mark( $refund, $is_done ? '' : self::HELD );
			}
		}
		self::follow( $order, (string) $order->get_meta( Order_Changes::META_PAYMENT ) );
	}

	/**
	 * Sends what waits if the payment is captured, and forgets it if there is no payment any more.
	 *
	 * @param \WC_Order $order The order.
	 * @param string    $state Of the payment.
	 */
	public static function follow( \WC_Order $order, string $state ): void {
		if ( ! in_array( $state, array( 'captured', 'released', 'lapsed' ), true ) ) {
			return;
		}
		foreach ( self::of( $order ) as $refund ) {
			if ( 'captured' !== $state ) {
				self::mark( $refund, '' );
			} elseif ( self::HELD === $refund->get_meta( self::META ) ) {
				Order_Observer::add_refund( $order, $refund );
				self::mark( $refund, '' );
			}
		}
	}

	/**
	 * Refunds that have not taken effect yet, as far as is known here.
	 *
	 * @param \WC_Order $order The order.
	 * @return \WC_Order_Refund[]
	 */
	private static function of( \WC_Order $order ): array {
		return array_filter( $order->get_refunds(), static fn( \WC_Order_Refund $refund ): bool => '' !== (string) $refund->get_meta( self::META ) );
	}

	/**
	 * Marks a refund.
	 *
	 * @param \WC_Order_Refund $refund The refund.
	 * @param string           $mark   The mark; empty for none.
	 */
	private static function mark( \WC_Order_Refund $refund, string $mark ): void {
		if ( '' === $mark ) {
			$refund->delete_meta_data( self::META );
		} else {
			$refund->update_meta_data( self::META, $mark );
		}
		$refund->save_meta_data();
	}
}
