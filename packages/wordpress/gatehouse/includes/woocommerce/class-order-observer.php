<?php
/**
 * Notices changes of orders that agents placed.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

use Gatehouse\Schedule;

defined( 'ABSPATH' ) || exit;

/**
 * Queues what the owner does with an order: completes, cancels or refunds it.
 */
final class Order_Observer {
	/**
	 * How many times Gatehouse refused to have an order sent or cancelled: the next try is another change.
	 */
	private const TRIES = '_gatehouse_tries';

	/**
	 * The status of an order has changed.
	 *
	 * @param mixed $id    Id of the order.
	 * @param mixed $from  Status before.
	 * @param mixed $to    New status.
	 * @param mixed $order The order.
	 */
	public static function note_status( mixed $id, mixed $from, mixed $to, mixed $order ): void {
		$settings = Shop_Connection::connection();
		if ( null === $settings || ! self::is_ours( $order ) ) {
			return;
		}
		if ( 'completed' === $to ) {
			$event_id = self::capture_event( $order );
			// A change that waits keeps its sum. What was refunded since is refunded after the capture.
			$refunded = $settings->capture && ! Order_Change_Queue::waits( $event_id ) ? Held_Refunds::take( $order, $event_id ) : 0;
			$change   = array(
				'kind'    => 'sent',
				'lines'   => null,
				'capture' => $settings->capture,
			);
			if ( $refunded > 0 ) {
				$change['refunded_minor'] = $refunded;
			}
			/**
			 * Lets plugins for shipments add `carrier`, `tracking_number` and `tracking_url`.
			 *
			 * @param array     $change Fields of the change.
			 * @param \WC_Order $order  The order.
			 */
			self::add( $order, $event_id, (array) apply_filters( 'gatehouse_order_sent', $change, $order ) );
		} elseif ( 'cancelled' === $to ) {
			$change = array(
				'kind'  => 'cancelled',
				'lines' => null,
			);
			self::add( $order, self::numbered( $order, 'cancelled' ), $change );
		}
		Order_Intents::end( $order->get_id(), Order_Intents::STATUS );
		Test_Order::keep_apart( $order, (string) $to );
	}

	/**
	 * An order was refunded, wholly or in part.
	 *
	 * @param mixed $id        Id of the order.
	 * @param mixed $refund_id Id of the refund.
	 */
	public static function note_refund( mixed $id, mixed $refund_id ): void {
		if ( null === Shop_Connection::connection() || Incoming::running() ) {
			return;
		}
		$order  = wc_get_order( $id );
		$refund = wc_get_order( $refund_id );
		if ( self::is_ours( $order ) && $refund instanceof \WC_Order_Refund ) {
			self::report_refund( $order, $refund );
			Order_Intents::end( $order->get_id(), Order_Intents::REFUND );
		}
	}

	/**
	 * Whether nothing is left to do for a refund: Gatehouse knows it, or it waits or is held.
	 *
	 * @param \WC_Order        $order  The order.
	 * @param \WC_Order_Refund $refund What the owner has entered.
	 */
	public static function is_reported( \WC_Order $order, \WC_Order_Refund $refund ): bool {
		$is_known = '' !== (string) $refund->get_meta( Order_Changes::META_REFUND ) || Held_Refunds::is_taken( $refund );
		if ( $is_known || Order_Change_Queue::waits( self::refund_event( $order, $refund ) ) ) {
			return true;
		}
		// If nothing is left to pay, the order may have to be cancelled yet.
		return Held_Refunds::is_held( $refund ) && Held_Refunds::are_needed( $order ) && self::has_rest( $order );
	}

	/**
	 * Whether something is left to pay.
	 *
	 * @param \WC_Order $order The order.
	 */
	private static function has_rest( \WC_Order $order ): bool {
		return Money::minor( $order->get_remaining_refund_amount(), $order->get_currency() ) > 0;
	}

	/**
	 * Queues a refund, or holds it until the payment is captured.
	 *
	 * @param \WC_Order        $order  The order.
	 * @param \WC_Order_Refund $refund What the owner has entered.
	 */
	private static function report_refund( \WC_Order $order, \WC_Order_Refund $refund ): void {
		$amount = Money::minor( $refund->get_amount(), $order->get_currency() );
		if ( $amount <= 0 ) {
			return;
		}
		$made = Missing_Refunds::find( $order, $amount );
		if ( null !== $made ) {
			self::recognize( $order, $refund, $made );
			return;
		}
		if ( Held_Refunds::are_needed( $order ) ) {
			self::hold( $order, $refund, $amount );
		} else {
			self::add_refund( $order, $refund );
		}
	}

	/**
	 * Holds a refund until the payment is captured. If nothing is left to pay, the order is cancelled, and Gatehouse voids
	 * the payment.
	 *
	 * @param \WC_Order        $order  The order.
	 * @param \WC_Order_Refund $refund What the owner has entered.
	 * @param int              $amount Its amount in minor units.
	 */
	private static function hold( \WC_Order $order, \WC_Order_Refund $refund, int $amount ): void {
		if ( ! Held_Refunds::hold( $order, $refund ) ) {
			return;
		}
		if ( self::has_rest( $order ) ) {
			/* translators: %s: an amount */
			$order->add_order_note( sprintf( __( 'The payment is not captured yet. Gatehouse will capture %s less, or refund it right after the capture.', 'gatehouse' ), Money::shown( $amount, $order->get_currency() ) ) );
			return;
		}
		$cancelled = array(
			'kind'  => 'cancelled',
			'lines' => null,
		);
		self::add( $order, self::refund_event( $order, $refund ) . '-cancelled', $cancelled + self::reason( $refund ) );
	}

	/**
	 * Queues a refund.
	 *
	 * @param \WC_Order        $order  The order.
	 * @param \WC_Order_Refund $refund What the owner has entered.
	 */
	public static function add_refund( \WC_Order $order, \WC_Order_Refund $refund ): void {
		$refunded = array(
			'kind'         => 'refunded',
			'amount_minor' => Money::minor( $refund->get_amount(), $order->get_currency() ),
		);
		self::add( $order, self::refund_event( $order, $refund ), $refunded + self::reason( $refund ) );
	}

	/**
	 * The id of a refund's event.
	 *
	 * @param \WC_Order        $order  The order.
	 * @param \WC_Order_Refund $refund What the owner has entered.
	 */
	private static function refund_event( \WC_Order $order, \WC_Order_Refund $refund ): string {
		return 'wc-' . $order->get_id() . '-refund-' . $refund->get_id();
	}

	/**
	 * The reason of a refund, as a field of its change; nothing if the owner gave none.
	 *
	 * @param \WC_Order_Refund $refund What the owner has entered.
	 * @return array{reason?: string}
	 */
	private static function reason( \WC_Order_Refund $refund ): array {
		$reason = Product_Text::plain( (string) $refund->get_reason(), Product_Text::TITLE_CHARS_MAX );
		return '' === $reason ? array() : array( 'reason' => $reason );
	}

	/**
	 * Marks a refund as one that Gatehouse has made before.
	 *
	 * @param \WC_Order        $order  The order.
	 * @param \WC_Order_Refund $refund What the owner has entered.
	 * @param string           $made   Id of the refund at Gatehouse.
	 */
	private static function recognize( \WC_Order $order, \WC_Order_Refund $refund, string $made ): void {
		$refund->update_meta_data( Order_Changes::META_REFUND, $made );
		$refund->save_meta_data();
		Missing_Refunds::remove( $order, $made );
		$amount = Money::shown( Money::minor( $refund->get_amount(), $order->get_currency() ), $order->get_currency() );
		/* translators: %s: an amount */
		$order->add_order_note( sprintf( __( '%s was refunded to the buyer before. Gatehouse was not asked to refund it again.', 'gatehouse' ), $amount ) );
	}

	/**
	 * The event that captures the payment when the order is completed next.
	 *
	 * @param \WC_Order $order The order.
	 */
	public static function capture_event( \WC_Order $order ): string {
		return self::numbered( $order, 'sent' );
	}

	/**
	 * Counts a refusal, so that the owner can try the same again after the problem is solved.
	 *
	 * @param \WC_Order $order The order.
	 */
	public static function count_refusal( \WC_Order $order ): void {
		$order->update_meta_data( self::TRIES, (string) ( 1 + (int) $order->get_meta( self::TRIES ) ) );
		$order->save_meta_data();
	}

	/**
	 * Whether an agent placed an order, and the change does not come from Gatehouse itself.
	 *
	 * @param mixed $order The order, or false.
	 */
	public static function is_ours( mixed $order ): bool {
		return ! Incoming::running() && Order::is_own( $order ) && Draft_Order::CREATED_VIA === $order->get_created_via();
	}

	/**
	 * An id for a change that stays the same until Gatehouse refuses it.
	 *
	 * @param \WC_Order $order The order.
	 * @param string    $kind  Of the change.
	 */
	private static function numbered( \WC_Order $order, string $kind ): string {
		return 'wc-' . $order->get_id() . '-' . $kind . '-' . ( 1 + (int) $order->get_meta( self::TRIES ) );
	}

	/**
	 * Queues a change.
	 *
	 * @param \WC_Order            $order    The order.
	 * @param string               $event_id Names the change.
	 * @param array<string, mixed> $change   Its fields.
	 */
	private static function add( \WC_Order $order, string $event_id, array $change ): void {
		$message = array(
			'type'     => 'order.change',
			'event_id' => $event_id,
			'order_id' => (string) $order->get_meta( Order::META_ID ),
			'change'   => $change,
		);
		Order_Change_Queue::add( $event_id, $order->get_id(), $message );
		Work::schedule( Schedule::SEND_ORDER_CHANGES, 0 );
		Work::begin_soon();
	}
}
