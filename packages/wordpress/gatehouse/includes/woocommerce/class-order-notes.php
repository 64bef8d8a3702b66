<?php
/**
 * What the notes of an order say about Gatehouse.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

defined( 'ABSPATH' ) || exit;

/**
 * Writes notes that only the owner sees.
 */
final class Order_Notes {
	private const PROBLEM_CHARS_MAX = 500;

	/**
	 * What Gatehouse has done.
	 *
	 * @param array<string, mixed> $change   Fields of the change.
	 * @param string               $currency Of the order.
	 */
	public static function done( array $change, string $currency ): string {
		if ( isset( $change['refunded_minor'] ) ) {
			/* translators: %s: amount of money */
			return sprintf( __( 'Gatehouse marked the order as sent and captured the payment. The %s that you refunded before was not captured, or was refunded to the buyer.', 'gatehouse' ), Money::shown( (int) $change['refunded_minor'], $currency ) );
		}
		return match ( $change['kind'] ) {
			'sent' => true === ( $change['capture'] ?? false )
				? __( 'Gatehouse marked the order as sent and captured the payment.', 'gatehouse' )
				: __( 'Gatehouse marked the order as sent.', 'gatehouse' ),
			'cancelled' => __( 'Gatehouse cancelled all items that were not sent. If the payment was captured already, refund the order too.', 'gatehouse' ),
			/* translators: %s: amount of money */
			default => sprintf( __( 'Gatehouse refunded %s at the payment provider.', 'gatehouse' ), self::money( $change, $currency ) ),
		};
	}

	/**
	 * What Gatehouse has not done, and why.
	 *
	 * @param array<string, mixed> $change   Fields of the change.
	 * @param string               $currency Of the order.
	 * @param mixed                $problem  What Gatehouse says.
	 */
	public static function refused( array $change, string $currency, mixed $problem ): string {
		$what = match ( $change['kind'] ) {
			'sent' => __( 'Gatehouse did not mark the order as sent.', 'gatehouse' ),
			'cancelled' => __( 'Gatehouse did not cancel the order.', 'gatehouse' ),
			/* translators: %s: amount of money */
			default => sprintf( __( 'Gatehouse did not refund %s. The buyer has not received it.', 'gatehouse' ), self::money( $change, $currency ) ),
		};
		return self::with_reason( $what, $problem );
	}

	/**
	 * What nobody knows, because Gatehouse did not answer for too long.
	 *
	 * @param array<string, mixed> $change   Fields of the change.
	 * @param string               $currency Of the order.
	 * @param string               $problem  What was wrong at last.
	 */
	public static function unanswered( array $change, string $currency, string $problem ): string {
		$note = self::with_reason( self::unknown( $change, $currency ) . ' ' . __( 'There was no valid answer for three days.', 'gatehouse' ), $problem );
		return 'sent' === $change['kind']
			? $note . ' ' . __( 'To try again, set this order to Processing and complete it again. Nothing is captured or refunded twice.', 'gatehouse' )
			: $note;
	}

	/**
	 * What nobody knows, because the shop was disconnected before Gatehouse answered.
	 *
	 * @param array<string, mixed> $change   Fields of the change.
	 * @param string               $currency Of the order.
	 */
	public static function disconnected( array $change, string $currency ): string {
		return self::unknown( $change, $currency ) . ' ' . __( 'The shop was disconnected before there was a valid answer. Look at the order in the Gatehouse console.', 'gatehouse' );
	}

	/**
	 * What Gatehouse does not learn about refunds before the capture, because the shop was disconnected.
	 *
	 * @param int    $minor    Their sum.
	 * @param string $currency Of the order.
	 */
	public static function left_out( int $minor, string $currency ): string {
		/* translators: %s: amount of money */
		return sprintf( __( 'You refunded %s before the payment was captured, and Gatehouse was disconnected before it learned of this. In the Gatehouse console, capture that much less, or refund it after the capture.', 'gatehouse' ), Money::shown( $minor, $currency ) );
	}

	/**
	 * What nobody knows of a change.
	 *
	 * @param array<string, mixed> $change   Fields of the change.
	 * @param string               $currency Of the order.
	 */
	private static function unknown( array $change, string $currency ): string {
		if ( isset( $change['refunded_minor'] ) ) {
			/* translators: %s: amount of money */
			return sprintf( __( 'It is not known whether Gatehouse marked the order as sent and captured the payment without the %s that you refunded before.', 'gatehouse' ), Money::shown( (int) $change['refunded_minor'], $currency ) );
		}
		return match ( $change['kind'] ) {
			'sent' => true === ( $change['capture'] ?? false )
				? __( 'It is not known whether Gatehouse marked the order as sent and captured the payment.', 'gatehouse' )
				: __( 'It is not known whether Gatehouse marked the order as sent.', 'gatehouse' ),
			'cancelled' => __( 'It is not known whether Gatehouse cancelled the order.', 'gatehouse' ),
			/* translators: %s: amount of money */
			default => sprintf( __( 'It is not known whether Gatehouse refunded %s. Look at your payment provider before you refund again.', 'gatehouse' ), self::money( $change, $currency ) ),
		};
	}

	/**
	 * A sentence with a reason, and where to look.
	 *
	 * @param string $what    The sentence.
	 * @param mixed  $problem The reason, if there is one.
	 */
	private static function with_reason( string $what, mixed $problem ): string {
		$words = is_string( $problem ) ? Product_Text::plain( $problem, self::PROBLEM_CHARS_MAX ) : '';
		// Notes are shown as HTML.
		return $what . ' ' . esc_html( '' === $words ? __( 'It gave no reason.', 'gatehouse' ) : $words ) . ' ' . __( 'Look at the order in the Gatehouse console.', 'gatehouse' );
	}

	/**
	 * The amount of a refund as text.
	 *
	 * @param array<string, mixed> $change   Fields of the change.
	 * @param string               $currency Of the order.
	 */
	private static function money( array $change, string $currency ): string {
		return Money::shown( (int) $change['amount_minor'], $currency );
	}
}
