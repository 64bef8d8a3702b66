<?php
/**
 * Orders that are left to the owner when the shop is disconnected.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

defined( 'ABSPATH' ) || exit;

/**
 * Adds order notes about changes that no longer reach Gatehouse. Otherwise nobody would know it once the queue is deleted.
 */
final class Unfinished_Orders {
	/**
	 * Changes and refunds that get a note. So many wait only after days without Gatehouse.
	 */
	private const NOTES_MAX = 200;

	/**
	 * Writes the notes, before the queue is deleted.
	 */
	public static function leave_to_owner(): void {
		if ( ! Shop::is_ready() ) {
			return;
		}
		foreach ( Order_Change_Queue::oldest( self::NOTES_MAX ) as $row ) {
			$message = json_decode( $row->message, true );
			if ( Order_Intents::is( $message ) ) {
				Order_Intents::settle( $row, $message );
			}
		}
		foreach ( Order_Change_Queue::oldest( self::NOTES_MAX ) as $row ) {
			$order   = wc_get_order( (int) $row->shop_order_id );
			$message = json_decode( $row->message, true );
			if ( $order instanceof \WC_Order ) {
				Order_Observer::count_refusal( $order );
				$order->add_order_note( Order_Notes::disconnected( $message['change'], $order->get_currency() ) );
			}
		}
		foreach ( Held_Refunds::orders( self::NOTES_MAX ) as $order ) {
			// If the shop is connected again, these refunds are not sent by themselves: the owner may have made them.
			$refunded = Held_Refunds::leave( $order, Order_Observer::capture_event( $order ) );
			$order->add_order_note( Order_Notes::left_out( $refunded, $order->get_currency() ) );
		}
	}
}
