<?php
/**
 * Visits that wait to be reported.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

// phpcs:disable WordPress.DB.DirectDatabaseQuery, WordPress.DB.PreparedSQL.InterpolatedNotPrepared -- our own table, whose name is a constant.

/**
 * A short queue in a table of its own.
 */
final class Visit_Queue {
	/**
	 * Visits that may wait; while Gatehouse is down, further ones are dropped.
	 */
	private const VISITS_MAX = 5000;

	/**
	 * Adds a visit, unless too many wait.
	 *
	 * @param array<string, mixed> $visit As Gatehouse reads it.
	 */
	public static function add( array $visit ): void {
		global $wpdb;
		$table = Storage::visits();
		// By the primary key: counting rows would take longer the more there are.
		$span = (int) $wpdb->get_var( "SELECT MAX(id) - MIN(id) FROM $table" );
		if ( $span < self::VISITS_MAX ) {
			$wpdb->insert( $table, array( 'visit' => (string) wp_json_encode( $visit ) ), array( '%s' ) );
		}
	}

	/**
	 * How many wait.
	 */
	public static function count(): int {
		global $wpdb;
		$table = Storage::visits();
		return (int) $wpdb->get_var( "SELECT COUNT(*) FROM $table" );
	}

	/**
	 * Takes the oldest visits out of the queue.
	 *
	 * @param int $limit At most so many.
	 * @return array<int, array<string, mixed>>
	 */
	public static function take( int $limit ): array {
		global $wpdb;
		$table = Storage::visits();
		$rows  = (array) $wpdb->get_results( $wpdb->prepare( "SELECT id, visit FROM $table ORDER BY id LIMIT %d", $limit ) );
		if ( array() === $rows ) {
			return array();
		}
		$wpdb->query( $wpdb->prepare( "DELETE FROM $table WHERE id <= %d", (int) end( $rows )->id ) );
		$visits = array_map( static fn( object $row ): mixed => json_decode( $row->visit, true ), $rows );
		return array_values( array_filter( $visits, 'is_array' ) );
	}
}
