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
	 * Mails about refunds. WooCommerce sends them, because Gatehouse sends none.
	 */
	public const REFUNDS = array( 'customer_refunded_order', 'customer_partially_refunded_order' );
	/**
	 * How many mails Gatehouse has caused today.
	 */
	public const OPTION = 'gatehouse_mails';

	/**
	 * Mails about refunds of Gatehouse in a day: a Gatehouse that was taken over must not use this shop to send mails to
	 * whomever it likes.
	 */
	private const A_DAY_MAX = 200;

	/**
	 * Does something without mails about refunds.
	 *
	 * @template T
	 * @param callable(): T $work What to do.
	 * @return T
	 */
	public static function without_refunds( callable $work ): mixed {
		$never = static fn(): bool => false;
		foreach ( self::REFUNDS as $mail ) {
			add_filter( 'woocommerce_email_enabled_' . $mail, $never, PHP_INT_MAX );
		}
		try {
			return $work();
		} finally {
			foreach ( self::REFUNDS as $mail ) {
				remove_filter( 'woocommerce_email_enabled_' . $mail, $never, PHP_INT_MAX );
			}
		}
	}

	/**
	 * Sends WooCommerce's mail about a refund.
	 *
	 * @param \WC_Order        $order  The order.
	 * @param \WC_Order_Refund $refund The refund.
	 */
	public static function send_refund( \WC_Order $order, \WC_Order_Refund $refund ): void {
		$mail = WC()->mailer()->get_emails()['WC_Email_Customer_Refunded_Order'] ?? null;
		if ( $mail instanceof \WC_Email_Customer_Refunded_Order ) {
			$mail->trigger( $order->get_id(), ! $order->has_status( 'refunded' ), $refund->get_id() );
		}
	}

	/**
	 * Counts a mail that Gatehouse causes; false if there were too many today.
	 */
	public static function take(): bool {
		$kept  = get_option( self::OPTION );
		$today = gmdate( 'Y-m-d' );
		$sent  = is_array( $kept ) && $today === $kept['day'] ? (int) $kept['sent'] : 0;
		if ( $sent >= self::A_DAY_MAX ) {
			return false;
		}
		$counted = array(
			'day'  => $today,
			'sent' => $sent + 1,
		);
		update_option( self::OPTION, $counted, false );
		return true;
	}

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
		if ( ! Order::is_own( $order ) ) {
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
