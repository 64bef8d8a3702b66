<?php
/**
 * Mail about orders.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

defined( 'ABSPATH' ) || exit;

/**
 * Gatehouse writes to buyers when they order, and when something is sent or cancelled. WooCommerce does not write to
 * them about the same. Its mails to the shop are sent as ever.
 */
final class Order_Mail {
	/**
	 * Whether WooCommerce sends a mail about a refund to a buyer. Only those of test orders are not sent.
	 *
	 * @param mixed $enabled Whether it would.
	 * @param mixed $order   What the mail is about; null in the settings.
	 */
	public static function is_refund_enabled( mixed $enabled, mixed $order ): bool {
		return (bool) $enabled && ! Test_Order::is( $order );
	}

	/**
	 * Whether WooCommerce sends a mail to a buyer.
	 *
	 * @param mixed $enabled Whether it would.
	 * @param mixed $order   What the mail is about; null in the settings.
	 */
	public static function is_enabled( mixed $enabled, mixed $order ): bool {
		if ( ! $order instanceof \WC_Order || '' === $order->get_meta( Order::META_ID ) ) {
			return (bool) $enabled;
		}
		if ( Test_Order::is( $order ) ) {
			return false;
		}
		/**
		 * Whether WooCommerce also writes to buyers of orders from Gatehouse. For shops whose Gatehouse does not.
		 *
		 * @param bool      $enabled Whether it does; false.
		 * @param \WC_Order $order   The order.
		 */
		return (bool) $enabled && (bool) apply_filters( 'gatehouse_buyer_mail', false, $order );
	}
}
