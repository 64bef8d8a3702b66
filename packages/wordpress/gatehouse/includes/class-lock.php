<?php
/**
 * Locks between requests.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

// phpcs:disable WordPress.DB.DirectDatabaseQuery -- add_option() would overwrite the row of another request.

/**
 * A row among the options. A row that exists cannot be added, whoever tries at the same time, on every database:
 * GET_LOCK() of MySQL does nothing on SQLite.
 */
final class Lock {
	public const PREFIX = 'gatehouse_lock_';

	private const POLL_US = 50_000;

	/**
	 * Use take() or wait().
	 *
	 * @param string $option Name of the row.
	 * @param string $value  What this request wrote there.
	 */
	private function __construct( private readonly string $option, private string $value ) {}

	/**
	 * Takes a lock; null if another request has it. A lock that was left behind is taken over by one request only.
	 *
	 * @param string $name    What is locked.
	 * @param int    $seconds After so many seconds it counts as left behind.
	 */
	public static function take( string $name, int $seconds ): ?self {
		global $wpdb;
		$option = self::PREFIX . $name;
		// The time has ten digits, so that texts compare as numbers do.
		$value = ( time() + $seconds ) . '.' . bin2hex( random_bytes( 8 ) );
		$taken = $wpdb->query( $wpdb->prepare( "INSERT IGNORE INTO $wpdb->options (option_name, option_value, autoload) VALUES (%s, %s, 'off')", $option, $value ) );
		if ( 1 !== $taken ) {
			$taken = $wpdb->query( $wpdb->prepare( "UPDATE $wpdb->options SET option_value = %s WHERE option_name = %s AND option_value < %s", $value, $option, (string) time() ) );
		}
		return 1 === $taken ? new self( $option, $value ) : null;
	}

	/**
	 * Waits for a lock; null if it did not become free.
	 *
	 * @param string $name    What is locked.
	 * @param int    $seconds After so many seconds it counts as left behind.
	 * @param float  $wait_s  How long to wait.
	 */
	public static function wait( string $name, int $seconds, float $wait_s ): ?self {
		$until = microtime( true ) + $wait_s;
		do {
			$lock = self::take( $name, $seconds );
			if ( null !== $lock ) {
				return $lock;
			}
			usleep( self::POLL_US );
		} while ( microtime( true ) < $until );
		return null;
	}

	/**
	 * Keeps the lock for longer. False if it took too long, and another request has taken it over.
	 *
	 * @param int $seconds After so many seconds it counts as left behind.
	 */
	public function extend( int $seconds ): bool {
		global $wpdb;
		$value = ( time() + $seconds ) . '.' . bin2hex( random_bytes( 8 ) );
		$kept  = $wpdb->query( $wpdb->prepare( "UPDATE $wpdb->options SET option_value = %s WHERE option_name = %s AND option_value = %s", $value, $this->option, $this->value ) );
		if ( 1 === $kept ) {
			$this->value = $value;
		}
		return 1 === $kept;
	}

	/**
	 * What makes this the lock again that it is now, after its row was rolled back.
	 *
	 * @return callable(): void
	 */
	public function remember(): callable {
		$value = $this->value;
		return function () use ( $value ): void {
			$this->value = $value;
		};
	}

	/**
	 * Frees the lock, unless another request has taken it over.
	 */
	public function free(): void {
		global $wpdb;
		$wpdb->query( $wpdb->prepare( "DELETE FROM $wpdb->options WHERE option_name = %s AND option_value = %s", $this->option, $this->value ) );
	}

	/**
	 * Removes locks that were left behind.
	 */
	public static function remove_all(): void {
		global $wpdb;
		$wpdb->query( $wpdb->prepare( "DELETE FROM $wpdb->options WHERE option_name LIKE %s", $wpdb->esc_like( self::PREFIX ) . '%' ) );
	}
}
