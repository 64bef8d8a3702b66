<?php
/**
 * Sends changes of orders.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

use Gatehouse\Connector_Client;
use Gatehouse\Schedule;
use Gatehouse\Settings;
use Gatehouse\Status;

defined( 'ABSPATH' ) || exit;

/**
 * Sends what waits, and does with each answer what it says.
 */
final class Order_Change_Sender {
	/**
	 * Changes that are read at once.
	 */
	private const ROWS = 20;
	/**
	 * Seconds until a change is asked about again that is being made.
	 */
	private const PENDING_S = 60;
	private const BUSY_S    = 10;
	/**
	 * Errors are not signed: only one that stays is believed.
	 */
	private const BELIEVED_AFTER = 3;
	/**
	 * A change that was not answered for so long is left to a person.
	 */
	private const GIVE_UP_S = 3 * DAY_IN_SECONDS;

	/**
	 * Sends what is due.
	 */
	public static function run(): void {
		$settings = Shop_Connection::connection();
		$until    = time() + Work::RUN_S_MAX;
		while ( null !== $settings && time() < $until ) {
			$rows = Order_Change_Queue::due( time(), self::ROWS );
			if ( array() === $rows ) {
				break;
			}
			foreach ( $rows as $row ) {
				if ( time() < $until ) {
					self::send( $settings, $row );
				}
			}
		}
		self::resume();
	}

	/**
	 * Goes on when the next change is due.
	 */
	public static function resume(): void {
		$next = Order_Change_Queue::next_at();
		if ( null !== $next ) {
			Work::schedule( Schedule::SEND_ORDER_CHANGES, max( 0, $next - time() ) );
		}
	}

	/**
	 * Sends one change.
	 *
	 * @param Settings $settings The connection.
	 * @param object   $row      Row of the queue.
	 */
	private static function send( Settings $settings, object $row ): void {
		$message = json_decode( $row->message, true );
		if ( Order_Intents::is( $message ) ) {
			Order_Intents::settle( $row, $message );
			return;
		}
		$answer = Connector_Client::send( $settings, 'orders', $message, $row->event_id );
		Status::note( 'order_problem', is_wp_error( $answer ) ? $answer->get_error_message() : '' );
		if ( is_wp_error( $answer ) ) {
			self::failed( $row, $message, $answer );
			return;
		}
		match ( $answer['state'] ?? null ) {
			'done' => self::done( $row, $message ),
			'pending' => Order_Change_Queue::wait( (int) $row->id, time() + self::PENDING_S, 0 ),
			'refused' => self::refused( $row, $message, $answer['problem'] ?? null ),
			default => self::retry( $row ),
		};
	}

	/**
	 * Gatehouse has made the change.
	 *
	 * @param object               $row     Row of the queue.
	 * @param array<string, mixed> $message The message.
	 */
	private static function done( object $row, array $message ): void {
		$order = wc_get_order( (int) $row->shop_order_id );
		if ( $order instanceof \WC_Order ) {
			Held_Refunds::settle( $order, $row->event_id, true );
		}
		Order_Change_Queue::delete( (int) $row->id );
		if ( $order instanceof \WC_Order ) {
			Order_Notices::settle( $order, $message['change'] );
			$order->add_order_note( Order_Notes::done( $message['change'], $order->get_currency() ) );
		}
	}

	/**
	 * Gatehouse does not make the change. Whether to try again is up to the owner.
	 *
	 * @param object               $row     Row of the queue.
	 * @param array<string, mixed> $message The message.
	 * @param mixed                $problem What Gatehouse says.
	 */
	private static function refused( object $row, array $message, mixed $problem ): void {
		$order = wc_get_order( (int) $row->shop_order_id );
		if ( $order instanceof \WC_Order ) {
			Held_Refunds::settle( $order, $row->event_id, false );
		}
		self::leave( $row, $message, static fn( \WC_Order $order ): string => Order_Notes::refused( $message['change'], $order->get_currency(), $problem ) );
	}

	/**
	 * Leaves a change to the owner, with a note.
	 *
	 * @param object               $row     Row of the queue.
	 * @param array<string, mixed> $message The message.
	 * @param \Closure             $note    The note for an order.
	 */
	private static function leave( object $row, array $message, \Closure $note ): void {
		Order_Change_Queue::delete( (int) $row->id );
		$order = wc_get_order( (int) $row->shop_order_id );
		if ( $order instanceof \WC_Order ) {
			Order_Observer::count_refusal( $order );
			$note = $note( $order );
			$order->add_order_note( $note );
			Order_Notices::add( $order, $message['change'], $note );
		}
	}

	/**
	 * There was no answer, or one with an error.
	 *
	 * @param object               $row     Row of the queue.
	 * @param array<string, mixed> $message The message.
	 * @param \WP_Error            $error   What went wrong.
	 */
	private static function failed( object $row, array $message, \WP_Error $error ): void {
		$status = (int) $error->get_error_data();
		if ( 409 === $status ) {
			Order_Change_Queue::wait( (int) $row->id, time() + self::BUSY_S, (int) $row->failures );
			return;
		}
		$is_final = in_array( $status, array( 400, 404, 422 ), true ) && (int) $row->failures >= self::BELIEVED_AFTER;
		$words    = 404 === $status ? __( 'Gatehouse does not have this order.', 'gatehouse' ) : $error->get_error_message();
		if ( $is_final ) {
			self::refused( $row, $message, $words );
		} elseif ( time() > (int) $row->created_at + self::GIVE_UP_S ) {
			self::leave( $row, $message, static fn( \WC_Order $order ): string => Order_Notes::unanswered( $message['change'], $order->get_currency(), $words ) );
		} else {
			self::retry( $row );
		}
	}

	/**
	 * Sends a change again later.
	 *
	 * @param object $row Row of the queue.
	 */
	private static function retry( object $row ): void {
		$failures = 1 + (int) $row->failures;
		Order_Change_Queue::wait( (int) $row->id, time() + Work::retry_s( $failures ), $failures );
	}
}
