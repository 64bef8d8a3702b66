<?php
/**
 * Changes that are stored as a whole.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

defined( 'ABSPATH' ) || exit;

/**
 * A transaction of the database. It is only for a few queries: others wait for it.
 */
final class Transaction {
	/**
	 * Runs work so that all of it is stored or nothing, even if PHP stops halfway. The message that caused it is sent
	 * again, and finds the work either complete or not started. Tables without transactions store each step.
	 *
	 * @template T
	 * @param callable(): T $work What to do, in a message about a reservation.
	 * @return T
	 * @throws \Throwable What the work has thrown.
	 */
	public static function run( callable $work ): mixed {
		$undo_lock = Reservations::remember_lock();
		wc_transaction_query( 'start' );
		try {
			// The lock belongs to it: another request that takes over waits for the end.
			Reservations::go_on();
			$result = $work();
			// Otherwise these are written when the request ends.
			Product_Observer::write();
		} catch ( \Throwable $error ) {
			wc_transaction_query( 'rollback' );
			$undo_lock();
			throw $error;
		}
		wc_transaction_query( 'commit' );
		return $result;
	}
}
