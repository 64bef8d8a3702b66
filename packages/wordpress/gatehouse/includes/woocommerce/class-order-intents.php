<?php
/**
 * Changes of orders that the owner is about to make.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

defined( 'ABSPATH' ) || exit;

/**
 * WooCommerce stores a change of an order before its hooks say so. If PHP stopped in between, Gatehouse would never
 * learn about it. So an intent is queued before, and deleted once the change itself is queued. One that is left behind
 * is compared with the order. A request deletes only its own intents.
 */
final class Order_Intents {
	public const STATUS = '-status-intent';
	public const REFUND = '-refund-intent';

	private const TYPE = 'intent';
	/**
	 * Statuses that Gatehouse learns about. For "refunded", WooCommerce makes a refund.
	 */
	private const STATUSES = array( 'completed', 'cancelled', 'refunded' );
	/**
	 * Seconds after which a request that left an intent behind is considered dead.
	 */
	private const LEFT_AFTER_S = 5 * MINUTE_IN_SECONDS;
	/**
	 * Maximum number of comparisons, because another plugin can make each of them fail.
	 */
	private const TRIES_MAX = 3;
	/**
	 * Maximum number of intents of one kind that an order has at a time. With so many, another one is not queued: those
	 * that are left behind stand for later changes too.
	 */
	private const INTENTS_MAX = 5;

	/**
	 * Intents of this request that have not ended, by order and kind, the newest last: numbers of their rows, or null for
	 * one that was not queued.
	 *
	 * @var array<string, list<int|null>>
	 */
	private static array $open = array();

	/**
	 * An order or a refund is about to be saved.
	 *
	 * @param mixed $saved The order or refund.
	 */
	public static function note_save( mixed $saved ): void {
		if ( $saved instanceof \WC_Order && in_array( $saved->get_changes()['status'] ?? '', self::STATUSES, true ) ) {
			self::add( $saved, self::STATUS, (string) $saved->get_data()['status'] );
		} elseif ( $saved instanceof \WC_Order_Refund && 0 === $saved->get_id() ) {
			$order = wc_get_order( $saved->get_parent_id() );
			if ( $order instanceof \WC_Order ) {
				self::add( $order, self::REFUND, $order->get_status() );
			}
		}
	}

	/**
	 * The change itself is queued, or there is nothing to send.
	 *
	 * @param int    $id   Id of the order.
	 * @param string $kind One of the two kinds.
	 */
	public static function end( int $id, string $kind ): void {
		if ( empty( self::$open[ $id . $kind ] ) ) {
			return;
		}
		$row = array_pop( self::$open[ $id . $kind ] );
		if ( null !== $row ) {
			Order_Change_Queue::delete( $row );
		}
	}

	/**
	 * Whether a row of the queue is an intent.
	 *
	 * @param array<string, mixed> $message The message of the row.
	 */
	public static function is( array $message ): bool {
		return self::TYPE === ( $message['type'] ?? '' );
	}

	/**
	 * Compares an order with an intent that was left behind, and queues what its hooks would have queued.
	 *
	 * @param object               $row     Row of the queue.
	 * @param array<string, mixed> $message Its message.
	 */
	public static function settle( object $row, array $message ): void {
		$failures = 1 + (int) $row->failures;
		Order_Change_Queue::wait( (int) $row->id, time() + self::LEFT_AFTER_S, $failures );
		$order = wc_get_order( (int) $row->shop_order_id );
		if ( $order instanceof \WC_Order && $failures <= self::TRIES_MAX ) {
			self::compare( $order, (string) $message['from'], (int) $row->created_at );
		}
		Order_Change_Queue::delete( (int) $row->id );
	}

	/**
	 * Queues changes that were not queued. A change that was sent before has the same event id, so Gatehouse does not apply it twice.
	 *
	 * @param \WC_Order $order The order.
	 * @param string    $from  Its status when the intent was queued.
	 * @param int       $since Seconds: when that was.
	 */
	private static function compare( \WC_Order $order, string $from, int $since ): void {
		$id     = $order->get_id();
		$status = $order->get_status();
		foreach ( $order->get_refunds() as $refund ) {
			if ( ! Order_Observer::is_reported( $order, $refund ) && $refund->get_date_created()?->getTimestamp() >= $since ) {
				Order_Observer::note_refund( $id, $refund->get_id() );
			}
		}
		if ( $from !== $status ) {
			Order_Observer::note_status( $id, $from, $status, $order );
		}
		if ( 'refunded' === $status ) {
			wc_order_fully_refunded( $id );
		}
	}

	/**
	 * Queues an intent under the first name that is free.
	 *
	 * @param \WC_Order $order The order.
	 * @param string    $kind  One of the two kinds.
	 * @param string    $from  Its status until now.
	 */
	private static function add( \WC_Order $order, string $kind, string $from ): void {
		if ( null === Shop_Connection::connection() || ! Order_Observer::is_ours( $order ) ) {
			return;
		}
		$id      = $order->get_id();
		$row     = null;
		$message = array(
			'type' => self::TYPE,
			'from' => $from,
		);
		for ( $number = 1; null === $row && $number <= self::INTENTS_MAX; $number++ ) {
			$row = Order_Change_Queue::add( 'wc-' . $id . '-' . $number . $kind, $id, $message, self::LEFT_AFTER_S );
		}
		self::$open[ $id . $kind ][] = $row;
	}
}
