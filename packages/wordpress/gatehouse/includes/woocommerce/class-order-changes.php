<?php
/**
 * Changes of orders.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

defined( 'ABSPATH' ) || exit;

/**
 * Makes the shop's order what the order is at Gatehouse. WooCommerce changes orders in several places, so each step
 * reads the order again.
 */
final class Order_Changes {
	/**
	 * At a refund: its id at Gatehouse.
	 */
	public const META_REFUND = '_gatehouse_refund_id';
	/**
	 * At an order: the state of its payment.
	 */
	public const META_PAYMENT = '_gatehouse_payment_state';
	/**
	 * At an order: notes that it has more refunds than are recorded.
	 */
	private const META_MORE = '_gatehouse_more_refunds';
	/**
	 * Refunds of one order that are recorded, and of which the buyer gets a mail. No real order has so many.
	 */
	private const REFUNDS_MAX      = 20;
	private const REFUND_MAILS_MAX = 5;

	/**
	 * Applies all changes.
	 *
	 * @param int           $id      Id of the shop's order.
	 * @param Order_Message $message The order at Gatehouse.
	 */
	public static function apply( int $id, Order_Message $message ): void {
		Reservations::go_on();
		self::cancel( wc_get_order( $id ), $message );
		foreach ( $message->refunds as $refund ) {
			if ( 'completed' === $refund['state'] && ! $refund['is_own'] ) {
				Reservations::go_on();
				self::refund( wc_get_order( $id ), $refund, $message->currency );
			}
		}
		self::note_payment( wc_get_order( $id ), $message );
		// After the state is noted: a refund that is entered now is either found here or finds the state.
		Held_Refunds::follow( wc_get_order( $id ), $message->payment['state'] );
		$order = wc_get_order( $id );
		if ( ! $message->is_sent() ) {
			return;
		}
		if ( $order->has_status( 'processing' ) ) {
			$order->update_status( 'completed', __( 'Marked as sent in Gatehouse.', 'gatehouse' ) );
		}
		Test_Order::note_sent( $order );
	}

	/**
	 * Returns cancelled quantities to the stock. WooCommerce records them as a refund without an amount, so quantities
	 * that somebody has taken back in the shop are not returned again.
	 *
	 * @param \WC_Order     $order   The shop's order.
	 * @param Order_Message $message The order at Gatehouse.
	 */
	private static function cancel( \WC_Order $order, Order_Message $message ): void {
		if ( $message->is_cancelled() ) {
			if ( ! $order->has_status( array( 'cancelled', 'refunded' ) ) ) {
				// Before the status: a crash after that would leave the stock as it was.
				Draft_Order::change_stock( static fn() => wc_maybe_increase_stock_levels( $order->get_id() ) );
				$order = wc_get_order( $order->get_id() );
				$order->update_status( 'cancelled', __( 'All items were cancelled in Gatehouse.', 'gatehouse' ) );
			}
			return;
		}
		$cancelled = array_column( $message->lines, 'cancelled', 'line_id' );
		$returned  = array();
		foreach ( $order->get_items() as $item_id => $item ) {
			$ids      = array_flip( self::metas( $item, Order::META_LINE ) );
			$quantity = array_sum( array_intersect_key( $cancelled, $ids ) ) - abs( $order->get_qty_refunded_for_item( $item_id ) );
			if ( $quantity > 0 ) {
				$returned[ $item_id ] = array(
					'qty'          => $quantity,
					'refund_total' => 0,
				);
			}
		}
		if ( array() !== $returned ) {
			self::return_to_stock( $order, $returned );
		}
	}

	/**
	 * Records that quantities are not sent.
	 *
	 * @param \WC_Order                        $order    The shop's order.
	 * @param array<int, array<string, mixed>> $returned Quantities by item.
	 * @throws \RuntimeException If WooCommerce refuses it.
	 */
	private static function return_to_stock( \WC_Order $order, array $returned ): void {
		// Nothing is refunded: no mail says so, and an order that costs nothing is not refunded as a whole.
		$always = static fn(): bool => true;
		add_filter( 'woocommerce_order_is_partially_refunded', $always, PHP_INT_MAX );
		$refund = array(
			'order_id'      => $order->get_id(),
			'amount'        => 0,
			'reason'        => __( 'Cancelled in Gatehouse', 'gatehouse' ),
			'line_items'    => $returned,
			'restock_items' => true,
		);
		$record = static function () use ( $refund ): void {
			// Where a plugin fails, WooCommerce has returned the stock already and deletes only the refund.
			if ( is_wp_error( Order_Mail::without_refunds( static fn() => wc_create_refund( $refund ) ) ) ) {
				throw new \RuntimeException( 'A cancelled quantity could not be recorded.' );
			}
		};
		try {
			Draft_Order::change_stock( $record );
		} finally {
			remove_filter( 'woocommerce_order_is_partially_refunded', $always, PHP_INT_MAX );
		}
	}

	/**
	 * Records a refund that Gatehouse has made, without asking a gateway.
	 *
	 * @param \WC_Order            $order    The shop's order.
	 * @param array<string, mixed> $refund   The refund.
	 * @param string               $currency Code of the currency.
	 */
	private static function refund( \WC_Order $order, array $refund, string $currency ): void {
		$known = array_filter( array_map( static fn( \WC_Order_Refund $made ): string => (string) $made->get_meta( self::META_REFUND ), $order->get_refunds() ) );
		if ( 0 === $refund['amount_minor'] || in_array( $refund['refund_id'], $known, true ) ) {
			return;
		}
		if ( count( $known ) + Missing_Refunds::count( $order ) >= self::REFUNDS_MAX && ! Missing_Refunds::has( $order, $refund['refund_id'] ) ) {
			self::note_more_refunds( $order );
			return;
		}
		$mark   = static function ( \WC_Order_Refund $made ) use ( $refund ): void {
			$made->update_meta_data( self::META_REFUND, $refund['refund_id'] );
			// WooCommerce names its first user where nobody is signed in.
			$made->set_refunded_by( 0 );
		};
		$fields = array(
			'order_id' => $order->get_id(),
			'amount'   => Money::decimal( $refund['amount_minor'], $currency ),
			'reason'   => __( 'Refunded in Gatehouse or at the payment provider', 'gatehouse' ),
		);
		add_action( 'woocommerce_create_refund', $mark );
		try {
			$result = Order_Mail::without_refunds( static fn() => Transaction::run( static fn() => wc_create_refund( $fields ) ) );
		} finally {
			remove_action( 'woocommerce_create_refund', $mark );
		}
		$order = wc_get_order( $order->get_id() );
		if ( ! is_wp_error( $result ) ) {
			Missing_Refunds::remove( $order, $refund['refund_id'] );
			// After the transaction: others wait for it, and a mail cannot be taken back.
			if ( count( $known ) < self::REFUND_MAILS_MAX && Order_Mail::take() ) {
				Order_Mail::send_refund( $order, $result );
			}
		} elseif ( Missing_Refunds::add( $order, $refund['refund_id'], $refund['amount_minor'] ) ) {
			/* translators: %s: an amount */
			$order->add_order_note( sprintf( __( '%s was refunded to the buyer, but WooCommerce could not record it. If you enter a refund of this amount here, the buyer is not refunded again.', 'gatehouse' ), Money::shown( $refund['amount_minor'], $currency ) ) );
		}
	}

	/**
	 * Notes once that an order has more refunds than are recorded.
	 *
	 * @param \WC_Order $order The shop's order.
	 */
	private static function note_more_refunds( \WC_Order $order ): void {
		if ( '' !== $order->get_meta( self::META_MORE ) ) {
			return;
		}
		$order->update_meta_data( self::META_MORE, 'yes' );
		$order->save_meta_data();
		/* translators: %d: number of refunds */
		$order->add_order_note( sprintf( __( 'Gatehouse reports more than %d refunds of this order. The others are not recorded here. Look at your payment provider.', 'gatehouse' ), self::REFUNDS_MAX ) );
	}

	/**
	 * Notes what happened to the payment. Without it nothing should be sent.
	 *
	 * @param \WC_Order     $order   The shop's order.
	 * @param Order_Message $message The order at Gatehouse.
	 */
	private static function note_payment( \WC_Order $order, Order_Message $message ): void {
		[ 'state' => $state, 'captured_minor' => $captured_minor ] = $message->payment;
		if ( $order->get_meta( self::META_PAYMENT ) === $state ) {
			return;
		}
		if ( in_array( $state, array( 'released', 'lapsed' ), true ) && $order->has_status( 'processing' ) ) {
			// Before the state is noted: a crash between leaves the note to the next message.
			$order->update_status( 'on-hold', __( 'Do not send it: it is not paid.', 'gatehouse' ) );
		}
		$order->update_meta_data( self::META_PAYMENT, $state );
		if ( 'captured' === $state && '' !== $order->get_meta( '_stripe_intent_id' ) ) {
			$order->update_meta_data( '_stripe_charge_captured', 'yes' );
		}
		$order->save();
		$order->add_order_note(
			match ( $state ) {
				'authorized' => __( 'The payment is authorized, and not captured yet.', 'gatehouse' ),
				/* translators: %s: an amount */
				'captured'   => sprintf( __( 'The payment was captured: %s.', 'gatehouse' ), Money::shown( $captured_minor, $message->currency ) ),
				'released'   => __( 'The payment was voided. The buyer pays nothing.', 'gatehouse' ),
				'lapsed'     => __( 'The authorization of the payment has expired. Nothing was captured.', 'gatehouse' ),
			}
		);
	}

	/**
	 * All values of one key.
	 *
	 * @param \WC_Data $thing An order or an item.
	 * @param string   $key   Key of the values.
	 * @return string[]
	 */
	private static function metas( \WC_Data $thing, string $key ): array {
		return array_map( static fn( \WC_Meta_Data $meta ): string => (string) $meta->get_data()['value'], $thing->get_meta( $key, false ) );
	}
}
