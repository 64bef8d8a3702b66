<?php
/**
 * New orders.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

defined( 'ABSPATH' ) || exit;

/**
 * Turns a reservation into an order. If the reservation is gone, the order is made without it: the buyer has paid.
 */
final class New_Order {
	/**
	 * For how long stock is held until it is reduced.
	 */
	private const HOLD_MINUTES = 5;
	/**
	 * The payment method. No gateway has this name, so WooCommerce shows it as it is.
	 */
	private const PAYMENT       = 'Gatehouse';
	private const META_PROBLEMS = '_gatehouse_problems';

	/**
	 * Begins the order, so that it is found again whatever happens next.
	 *
	 * @param Order_Message  $message The order at Gatehouse.
	 * @param \WC_Order|null $draft   What was reserved.
	 */
	public static function begin( Order_Message $message, ?\WC_Order $draft ): \WC_Order {
		$order    = $draft ?? self::computed( $message );
		$problems = null === $order ? array( __( 'The reservation of this order has ended, and WooCommerce cannot calculate the same total now. The lines show the prices that the buyer agreed to; tax is not shown separately. Check the order.', 'gatehouse' ) ) : array();
		$order  ??= Order_Lines::as_agreed( $message );
		$order->update_meta_data( self::META_PROBLEMS, array_merge( $problems, Order_Lines::problems( $order, $message ) ) );
		$order->set_total( Money::decimal( $message->total_minor, $message->currency ) );
		Order_Lines::mark( $order, $message );
		self::set_addresses( $order, $message );
		self::set_payment( $order, $message );
		$order->update_meta_data( Order::META_ID, $message->order_id );
		$order->update_meta_data( Order::META_SELF, (string) $order->get_id() );
		$order->update_meta_data( '_gatehouse_number', (string) $message->number );
		$order->update_meta_data( '_gatehouse_agent_id', $message->agent_id );
		$order->update_meta_data( '_gatehouse_agent_name', $message->agent_name );
		$order->update_meta_data( Test_Order::META, $message->test && Test_Order::are_apart() ? 'yes' : 'no' );
		$order->set_date_created( time() );
		// The origin that WooCommerce shows in its list of orders.
		$order->update_meta_data( '_wc_order_attribution_source_type', 'utm' );
		$order->update_meta_data( '_wc_order_attribution_utm_source', 'Gatehouse' );
		// As a checkout does: WooCommerce removes drafts, and plugins wait for the change from pending.
		$order->set_status( 'pending' );
		Transaction::run(
			static function () use ( $order, $message ): void {
				$order->save();
				Reservations::keep( $message->reservation_id, Reservations::ORDERED, $order->get_id(), 0 );
			}
		);
		return $order;
	}

	/**
	 * Completes the order: notes, stock and status.
	 *
	 * @param \WC_Order     $order   The order that was begun.
	 * @param Order_Message $message The order at Gatehouse.
	 */
	public static function complete( \WC_Order $order, Order_Message $message ): void {
		if ( ! $order->has_status( 'pending' ) ) {
			return;
		}
		self::note_origin( $order, $message );
		if ( $message->is_cancelled() ) {
			// It was cancelled before its first message arrived. Gatehouse has added its goods to the last stock that it received,
			// which may already have included them.
			self::send_stock( $order );
			$order->update_status( 'cancelled', __( 'All items were cancelled in Gatehouse.', 'gatehouse' ) );
			return;
		}
		$problems   = (array) $order->get_meta( self::META_PROBLEMS );
		$is_reduced = (bool) $order->get_data_store()->get_stock_reduced( $order->get_id() );
		$too_few    = __( 'Not enough stock for this order. The payment is authorized or captured already. Order more stock, or cancel the order.', 'gatehouse' );
		if ( ! $is_reduced && ! Draft_Order::hold_stock( $order, self::HOLD_MINUTES ) && ! in_array( $too_few, $problems, true ) ) {
			$problems[] = $too_few;
			// A crash after the stock is reduced would leave no other sign of it.
			$order->update_meta_data( self::META_PROBLEMS, $problems );
			$order->save_meta_data();
		}
		foreach ( $problems as $problem ) {
			$order->add_order_note( esc_html( $problem ) );
		}
		// Before the status: a crash after that would leave the stock as it was.
		Draft_Order::change_stock( static fn() => wc_maybe_reduce_stock_levels( $order->get_id() ) );
		$order = wc_get_order( $order->get_id() );
		$order->delete_meta_data( self::META_PROBLEMS );
		if ( Test_Order::is( $order ) ) {
			Test_Order::begin( $order );
		} else {
			$order->update_status( array() === $problems ? 'processing' : 'on-hold' );
		}
	}

	/**
	 * Sends the stock of the products of an order, although it has not changed.
	 *
	 * @param \WC_Order $order The order.
	 */
	private static function send_stock( \WC_Order $order ): void {
		foreach ( $order->get_items() as $item ) {
			$product = $item instanceof \WC_Order_Item_Product ? $item->get_product() : null;
			if ( $product instanceof \WC_Product ) {
				Product_Observer::note( $product->get_stock_managed_by_id() );
			}
		}
		Product_Observer::write();
	}

	/**
	 * Notes who has bought.
	 *
	 * @param \WC_Order     $order   The order.
	 * @param Order_Message $message The order at Gatehouse.
	 */
	private static function note_origin( \WC_Order $order, Order_Message $message ): void {
		// A platform has its address as its name and its id.
		$buyer = $message->agent_name === $message->agent_id ? $message->agent_id : $message->agent_name . ' (' . $message->agent_id . ')';
		/* translators: 1: who has bought, 2: number of the order, 3: its id */
		$origin = __( 'Bought through Gatehouse by %1$s, order #%2$d (%3$s).', 'gatehouse' );
		$order->add_order_note( sprintf( $origin, esc_html( $buyer ), $message->number, esc_html( $message->order_id ) ) );
		if ( $message->test ) {
			$order->add_order_note( __( 'This is a test order. It moves no money.', 'gatehouse' ) );
		}
		if ( Test_Order::is( $order ) ) {
			$order->add_order_note( __( 'This order is deleted after a day, and its stock is returned.', 'gatehouse' ) );
		}
	}

	/**
	 * A draft as the shop computes it now; null if the shop would charge something else than what was agreed.
	 *
	 * @param Order_Message $message The order at Gatehouse.
	 */
	private static function computed( Order_Message $message ): ?\WC_Order {
		return Scratch_Cart::fill(
			$message->question(),
			static fn( Scratch_Cart $scratch ): ?\WC_Order => ! $scratch->has_fault() && $scratch->total_minor() === $message->total_minor ? Draft_Order::create( $scratch ) : null,
			true
		);
	}

	/**
	 * Sets both addresses.
	 *
	 * @param \WC_Order     $order   The order.
	 * @param Order_Message $message The order at Gatehouse.
	 */
	private static function set_addresses( \WC_Order $order, Order_Message $message ): void {
		$buyer = array_filter( $message->buyer );
		if ( null !== $message->destination ) {
			$address = $message->destination->address;
			$order->set_billing_address( array_merge( $address, $buyer ) );
			$order->set_shipping_address( array_merge( array_diff_key( $buyer, array( 'email' => true ) ), array_filter( $address ) ) );
		} else {
			$order->set_billing_address( $buyer );
		}
	}

	/**
	 * Notes how the order is paid. No gateway of the shop knows this method, so none captures or refunds.
	 *
	 * @param \WC_Order     $order   The order.
	 * @param Order_Message $message The order at Gatehouse.
	 */
	private static function set_payment( \WC_Order $order, Order_Message $message ): void {
		[ 'provider' => $provider, 'reference' => $reference ] = $message->payment;
		$details = array_filter( array( ucfirst( $provider ), $message->test ? __( 'test', 'gatehouse' ) : '' ) );
		$order->set_payment_method( self::PAYMENT );
		$order->set_payment_method_title( 'Gatehouse' . ( array() === $details ? '' : ' (' . implode( ', ', $details ) . ')' ) );
		if ( '' !== $reference ) {
			$order->set_transaction_id( $reference );
		}
		if ( 'stripe' === $provider && '' !== $reference ) {
			// So that plugins for Stripe find the payment. Not tested with one of them.
			$order->update_meta_data( '_stripe_intent_id', $reference );
			$order->update_meta_data( '_stripe_charge_captured', 'captured' === $message->payment['state'] ? 'yes' : 'no' );
		}
	}
}
