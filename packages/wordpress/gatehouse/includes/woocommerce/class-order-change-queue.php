<?php
/**
 * Changes of orders that wait to be sent.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

use Gatehouse\Storage;

defined( 'ABSPATH' ) || exit;

// phpcs:disable WordPress.DB.DirectDatabaseQuery, WordPress.DB.PreparedSQL.InterpolatedNotPrepared -- our own table, whose name is a constant.

/**
 * A queue in a table of its own. The changes of one order are sent one after the other.
 */
final class Order_Change_Queue {
	/**
	 * Adds a change, unless it waits already.
	 *
	 * @param string               $event_id      Names the change, also if it is sent again.
	 * @param int                  $shop_order_id Order of WooCommerce.
	 * @param array<string, mixed> $message       The message.
	 * @param int                  $delay_s       Seconds until it is due.
	 * @return int|null Number of the change; null if it was not added.
	 */
	public static function add( string $event_id, int $shop_order_id, array $message, int $delay_s = 0 ): ?int {
		global $wpdb;
		$table = Storage::order_changes();
		$now   = time();
		$added = $wpdb->query( $wpdb->prepare( "INSERT IGNORE INTO $table (event_id, shop_order_id, message, failures, not_before, created_at) VALUES (%s, %d, %s, 0, %d, %d)", $event_id, $shop_order_id, (string) wp_json_encode( $message ), $now + $delay_s, $now ) );
		return 1 === $added ? (int) $wpdb->insert_id : null;
	}

	/**
	 * Whether a change waits.
	 *
	 * @param string $event_id Names the change.
	 */
	public static function waits( string $event_id ): bool {
		global $wpdb;
		$table = Storage::order_changes();
		return null !== $wpdb->get_var( $wpdb->prepare( "SELECT 1 FROM $table WHERE event_id = %s", $event_id ) );
	}

	/**
	 * The oldest changes, whether they are due or not.
	 *
	 * @param int $limit At most so many.
	 * @return object[]
	 */
	public static function oldest( int $limit ): array {
		global $wpdb;
		$table = Storage::order_changes();
		return (array) $wpdb->get_results( $wpdb->prepare( "SELECT id, shop_order_id, message, failures, created_at FROM $table ORDER BY id LIMIT %d", $limit ) );
	}

	/**
	 * The oldest change of each order that is due.
	 *
	 * @param int $now   Seconds.
	 * @param int $limit At most so many.
	 * @return object[]
	 */
	public static function due( int $now, int $limit ): array {
		global $wpdb;
		$table = Storage::order_changes();
		return (array) $wpdb->get_results( $wpdb->prepare( "SELECT id, event_id, shop_order_id, message, failures, created_at FROM $table WHERE id IN (SELECT MIN(id) FROM $table GROUP BY shop_order_id) AND not_before <= %d ORDER BY id LIMIT %d", $now, $limit ) );
	}

	/**
	 * When the next change is due; null if none waits. Intents count once they are due: nearly all are deleted before,
	 * and what is scheduled for one would keep others waiting.
	 */
	public static function next_at(): ?int {
		global $wpdb;
		$table = Storage::order_changes();
		$time  = $wpdb->get_var( $wpdb->prepare( "SELECT MIN(not_before) FROM $table WHERE id IN (SELECT MIN(id) FROM $table GROUP BY shop_order_id) AND (not_before <= %d OR event_id NOT LIKE %s)", time(), '%' . $wpdb->esc_like( '-intent' ) ) );
		return null === $time ? null : (int) $time;
	}

	/**
	 * How many wait.
	 */
	public static function count(): int {
		global $wpdb;
		$table = Storage::order_changes();
		return (int) $wpdb->get_var( "SELECT COUNT(*) FROM $table" );
	}

	/**
	 * Sends a change again later.
	 *
	 * @param int $id         Number of the change.
	 * @param int $not_before Seconds.
	 * @param int $failures   How often it has failed.
	 */
	public static function wait( int $id, int $not_before, int $failures ): void {
		global $wpdb;
		$values = array(
			'not_before' => $not_before,
			'failures'   => $failures,
		);
		$wpdb->update( Storage::order_changes(), $values, array( 'id' => $id ), '%d', '%d' );
	}

	/**
	 * Deletes a change that was answered, or an intent.
	 *
	 * @param int $id Number of the change.
	 */
	public static function delete( int $id ): void {
		global $wpdb;
		$wpdb->delete( Storage::order_changes(), array( 'id' => $id ), '%d' );
	}
}
