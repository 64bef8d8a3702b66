<?php
/**
 * Changes that are stored as a whole.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

use Automattic\Jetpack\Constants;

defined( 'ABSPATH' ) || exit;

// phpcs:disable WordPress.DB.DirectDatabaseQuery, WordPress.DB.PreparedSQL.NotPrepared -- savepoints, whose names are constants.

/**
 * A transaction of the database. It is only for a few queries: others wait for it.
 *
 * The database can end it by itself, and would store each later query alone: after a deadlock, a lost connection, which
 * WordPress replaces silently, or a change of a table by another plugin. A savepoint that is gone shows this on every
 * database. Then another transaction takes the later queries, and is rolled back in the end.
 */
final class Transaction {
	private const MARK = 'gatehouse_whole';
	/**
	 * Replacements for queries of other plugins that would end this transaction.
	 */
	private const NESTED = array(
		'START TRANSACTION' => 'SAVEPOINT gatehouse_part',
		'BEGIN'             => 'SAVEPOINT gatehouse_part',
		'COMMIT'            => 'RELEASE SAVEPOINT gatehouse_part',
		'ROLLBACK'          => 'ROLLBACK TO SAVEPOINT gatehouse_part',
	);
	/**
	 * Queries that store what was before them. MySQL cannot roll them back.
	 */
	private const STORING = '/^\s*(?:CREATE|ALTER|DROP|TRUNCATE|RENAME|ANALYZE|OPTIMIZE|REPAIR|CHECK|LOCK|UNLOCK|FLUSH|GRANT|SET|START)\b/i';
	/**
	 * MySQL's error if a query has waited too long for a lock. It undoes this query only.
	 */
	private const LOCK_WAIT_TIMEOUT = 1205;

	/**
	 * Whether the database has discarded a part of the work.
	 *
	 * @var bool
	 */
	private bool $is_lost = false;
	/**
	 * Whether a query is one of this class.
	 *
	 * @var bool
	 */
	private bool $is_own = false;
	/**
	 * The connection that has the savepoint.
	 *
	 * @var mixed
	 */
	private mixed $connection = null;

	/**
	 * Use run().
	 */
	private function __construct() {}

	/**
	 * Runs work so that all of it is stored or nothing, even if PHP stops halfway. The message that caused it is sent
	 * again, and finds the work either complete or not started. Tables without transactions store each step.
	 *
	 * @template T
	 * @param callable(): T $work What to do, in a message about a reservation.
	 * @return T
	 * @throws \Throwable What the work has thrown, or that the database has ended the transaction by itself.
	 */
	public static function run( callable $work ): mixed {
		$undo_lock   = Reservations::remember_lock();
		$transaction = new self();
		$is_watched  = $transaction->begin();
		try {
			// The lock belongs to it: another request that takes over waits for the end.
			Reservations::go_on();
			$result = $work();
			// Otherwise these are written when the request ends.
			Product_Observer::write();
			$is_watched ? $transaction->commit() : wc_transaction_query( 'commit' );
		} catch ( \Throwable $error ) {
			$transaction->stop_watching();
			wc_transaction_query( 'rollback' );
			$undo_lock();
			if ( ! $error instanceof Busy ) {
				// The cache may contain values that were rolled back.
				wp_cache_flush();
			}
			throw $error;
		}
		return $result;
	}

	/**
	 * Begins it.
	 *
	 * @return bool False if the owner has switched transactions off, or the database has no savepoints.
	 */
	private function begin(): bool {
		wc_transaction_query( 'start' );
		if ( ! Constants::is_true( 'WC_USE_TRANSACTIONS' ) ) {
			return false;
		}
		$this->connection = $this->connection_now();
		// Before the savepoint: a connection that is lost at that moment is replaced by one without a transaction.
		add_filter( 'query', array( $this, 'watch' ), PHP_INT_MAX );
		add_filter( 'incompatible_sql_modes', array( $this, 'note_connection' ) );
		if ( ! $this->query( 'SAVEPOINT ' . self::MARK ) ) {
			$this->stop_watching();
			// Some databases end a transaction with the first error.
			wc_transaction_query( 'start' );
			return false;
		}
		// Nothing was done before, so nothing is lost.
		$this->is_lost    = false;
		$this->connection = $this->connection_now();
		return true;
	}

	/**
	 * Stores everything.
	 *
	 * @throws \RuntimeException If it is not stored, or if that is not known.
	 */
	private function commit(): void {
		$this->check();
		$is_stored = ! $this->is_lost && $this->query( 'COMMIT' );
		$this->stop_watching();
		// A connection that was lost at this moment has stored nothing, and the next one has nothing to store.
		if ( ! $is_stored || $this->is_lost || $this->connection_now() !== $this->connection ) {
			throw new \RuntimeException( 'The database has ended a transaction. Gatehouse sends its message again.' );
		}
	}

	/**
	 * Looks at each query before it is made.
	 *
	 * @param mixed $query The query.
	 * @return mixed
	 */
	public function watch( mixed $query ): mixed {
		global $wpdb;
		if ( $this->is_own ) {
			return $query;
		}
		if ( '' !== $wpdb->last_error || $this->connection_now() !== $this->connection || preg_match( self::STORING, (string) $wpdb->last_query ) ) {
			$this->check();
		}
		return self::NESTED[ strtoupper( trim( (string) $query, " \n\r\t;" ) ) ] ?? $query;
	}

	/**
	 * WordPress has connected. If that replaces a lost connection, it is about to repeat the query that failed.
	 *
	 * @param mixed $modes Modes of the database, which stay.
	 * @return mixed
	 */
	public function note_connection( mixed $modes ): mixed {
		// Plugins make connections of their own too.
		if ( $this->connection_now() !== $this->connection ) {
			$this->is_lost = true;
			$this->query( 'START TRANSACTION' );
		}
		return $modes;
	}

	/**
	 * Looks whether the transaction is still open, and opens another one if not.
	 */
	private function check(): void {
		global $wpdb;
		$is_storing    = 1 === preg_match( self::STORING, (string) $wpdb->last_query );
		$connection    = $this->connection_now();
		$is_timeout    = $connection instanceof \mysqli && self::LOCK_WAIT_TIMEOUT === $connection->errno;
		$this->is_lost = $this->is_lost || $is_timeout;
		if ( ! $this->query( 'RELEASE SAVEPOINT ' . self::MARK ) ) {
			$this->is_lost = $this->is_lost || ! $is_storing;
			// After a deadlock there is another transaction already, which a new one would store.
			$this->query( 'ROLLBACK' );
			$this->query( 'START TRANSACTION' );
		}
		$this->query( 'SAVEPOINT ' . self::MARK );
		$this->connection = $this->connection_now();
	}

	/**
	 * Makes a query of this class.
	 *
	 * @param string $query The query.
	 * @return bool Whether the database has accepted it.
	 */
	private function query( string $query ): bool {
		global $wpdb;
		$is_nested    = $this->is_own;
		$this->is_own = true;
		$suppressed   = $wpdb->suppress_errors();
		$result       = $wpdb->query( $query );
		$wpdb->suppress_errors( $suppressed );
		$this->is_own = $is_nested;
		return false !== $result;
	}

	/**
	 * The connection that WordPress has now. Another one has another transaction, or none.
	 */
	private function connection_now(): mixed {
		global $wpdb;
		return $wpdb->dbh;
	}

	/**
	 * Ends the watch.
	 */
	private function stop_watching(): void {
		remove_filter( 'query', array( $this, 'watch' ), PHP_INT_MAX );
		remove_filter( 'incompatible_sql_modes', array( $this, 'note_connection' ) );
	}
}
