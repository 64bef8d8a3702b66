<?php
/**
 * Reservations and what became of them.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

use Gatehouse\Lock;
use Gatehouse\Storage;

defined( 'ABSPATH' ) || exit;

// phpcs:disable WordPress.DB.DirectDatabaseQuery, WordPress.DB.PreparedSQL.InterpolatedNotPrepared -- our own table, whose name is a constant.

/**
 * A table with one row for each reservation. The goods themselves are held in WooCommerce's own table, for a draft of
 * an order, and are free again when the time in that table is over.
 */
final class Reservations {
	public const RESERVED = 'reserved';
	public const RELEASED = 'released';
	public const ORDERED  = 'ordered';

	public const GROUP       = 'gatehouse';
	private const LOCK_S_MAX = 60;
	private const WAIT_S_MAX = 4.0;
	private const REMOVE_MAX = 100;
	/**
	 * One run removes for no longer.
	 */
	private const REMOVE_S_MAX = 20;

	/**
	 * The lock of the reservation that this request works with.
	 *
	 * @var Lock|null
	 */
	private static ?Lock $lock = null;

	/**
	 * Does something with a reservation while no other request does.
	 *
	 * @template T
	 * @param string        $id   Id of the reservation.
	 * @param callable(): T $work What to do.
	 * @return T
	 * @throws Busy If another request is working with it for long.
	 */
	public static function lock( string $id, callable $work ): mixed {
		$lock = Lock::wait( self::key( $id ), self::LOCK_S_MAX, self::WAIT_S_MAX );
		if ( null === $lock ) {
			throw new Busy( 'Another message about the same reservation is being handled.' );
		}
		self::$lock = $lock;
		try {
			return $work();
		} finally {
			self::$lock = null;
			$lock->free();
		}
	}

	/**
	 * Begins another step of long work. Mails and plugins can take longer than a lock lasts.
	 *
	 * @throws Busy If another request has begun the same work meanwhile, and goes on with it.
	 */
	public static function go_on(): void {
		if ( null !== self::$lock && ! self::$lock->extend( self::LOCK_S_MAX ) ) {
			throw new Busy( 'Another message about the same reservation is being handled.' );
		}
	}

	/**
	 * How the lock is known again after a rollback, which undoes what go_on() has written.
	 *
	 * @return callable(): void
	 */
	public static function remember_lock(): callable {
		return null === self::$lock ? static function (): void {} : self::$lock->remember();
	}

	/**
	 * A reservation; null if it is not known.
	 *
	 * @param string $id Id of the reservation.
	 * @return array{state: string, shop_order_id: int}|null
	 */
	public static function find( string $id ): ?array {
		global $wpdb;
		$table = Storage::reservations();
		$row   = $wpdb->get_row( $wpdb->prepare( "SELECT state, shop_order_id FROM $table WHERE id = %s", self::key( $id ) ), ARRAY_A );
		return null === $row ? null : array(
			'state'         => (string) $row['state'],
			'shop_order_id' => (int) $row['shop_order_id'],
		);
	}

	/**
	 * Stores what became of a reservation.
	 *
	 * @param string $id            Id of the reservation.
	 * @param string $state         One of the states.
	 * @param int    $shop_order_id Its order or draft; 0 without one.
	 * @param int    $remove_at     Seconds; a reservation that became an order is kept.
	 * @throws \RuntimeException If the database refuses it.
	 */
	public static function keep( string $id, string $state, int $shop_order_id, int $remove_at ): void {
		global $wpdb;
		$row = array(
			'id'            => self::key( $id ),
			'state'         => $state,
			'shop_order_id' => $shop_order_id,
			'remove_at'     => $remove_at,
		);
		if ( false === $wpdb->replace( Storage::reservations(), $row, array( '%s', '%s', '%d', '%d' ) ) ) {
			throw new \RuntimeException( 'A reservation could not be stored.' );
		}
		if ( self::ORDERED !== $state && ! as_has_scheduled_action( Shop::REMOVE_HOOK ) ) {
			as_schedule_recurring_action( time() + DAY_IN_SECONDS, DAY_IN_SECONDS, Shop::REMOVE_HOOK, array(), self::GROUP, true );
		}
	}

	/**
	 * Removes a reservation.
	 *
	 * @param string $id Id of the reservation.
	 */
	public static function remove( string $id ): void {
		global $wpdb;
		$wpdb->delete( Storage::reservations(), array( 'id' => self::key( $id ) ), array( '%s' ) );
	}

	/**
	 * Removes reservations whose time is over for long, with their drafts, and ids that were released a day ago.
	 */
	public static function remove_old(): void {
		$until = time() + self::REMOVE_S_MAX;
		while ( self::remove_some() >= self::REMOVE_MAX && time() < $until ) {
			continue;
		}
	}

	/**
	 * Removes some of them.
	 *
	 * @return int How many were due.
	 */
	private static function remove_some(): int {
		global $wpdb;
		$table = Storage::reservations();
		$keys  = $wpdb->get_col( $wpdb->prepare( "SELECT id FROM $table WHERE state <> %s AND remove_at < %d LIMIT %d", self::ORDERED, time(), self::REMOVE_MAX ) );
		foreach ( $keys as $key ) {
			$lock = Lock::take( $key, self::LOCK_S_MAX );
			if ( null === $lock ) {
				continue;
			}
			// It may have been extended or become an order since.
			$draft_id = $wpdb->get_var( $wpdb->prepare( "SELECT shop_order_id FROM $table WHERE id = %s AND state <> %s AND remove_at < %d", $key, self::ORDERED, time() ) );
			if ( null !== $draft_id ) {
				Draft_Order::remove( (int) $draft_id );
				$wpdb->delete( $table, array( 'id' => $key ), array( '%s' ) );
			}
			$lock->free();
		}
		return count( $keys );
	}

	/**
	 * Frees everything that is reserved, when the shop is disconnected. Orders stay.
	 */
	public static function remove_all(): void {
		global $wpdb;
		if ( ! Shop::is_ready() ) {
			return;
		}
		Work::cancel( Shop::REMOVE_HOOK, self::GROUP );
		$table = Storage::reservations();
		if ( null === $wpdb->get_var( $wpdb->prepare( 'SHOW TABLES LIKE %s', $wpdb->esc_like( $table ) ) ) ) {
			return;
		}
		foreach ( $wpdb->get_col( $wpdb->prepare( "SELECT shop_order_id FROM $table WHERE state = %s", self::RESERVED ) ) as $draft_id ) {
			Draft_Order::remove( (int) $draft_id );
		}
	}

	/**
	 * Key of a row. Ids differ by upper and lower case, which many databases do not.
	 *
	 * @param string $id Id of the reservation.
	 */
	private static function key( string $id ): string {
		return hash( 'sha256', $id );
	}
}
