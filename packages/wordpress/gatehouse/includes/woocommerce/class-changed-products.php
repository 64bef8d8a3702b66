<?php
/**
 * Products that have changed and were not sent yet.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

use Gatehouse\Storage;

defined( 'ABSPATH' ) || exit;

// phpcs:disable WordPress.DB.DirectDatabaseQuery, WordPress.DB.PreparedSQL, WordPress.DB.PreparedSQLPlaceholders -- our own table, whose name is a constant, and lists of whole numbers.

/**
 * A table with one row for each product, however often it changes.
 */
final class Changed_Products {
	/**
	 * Adds products.
	 *
	 * @param int[] $ids Ids of products and variations.
	 */
	public static function add( array $ids ): void {
		global $wpdb;
		$now  = Work::now_ms();
		$rows = implode( ', ', array_map( static fn( int $id ): string => "($id, $now)", $ids ) );
		$wpdb->query( 'REPLACE INTO ' . Storage::products() . " (product_id, changed_at) VALUES $rows" );
	}

	/**
	 * How many wait.
	 */
	public static function count(): int {
		global $wpdb;
		return (int) $wpdb->get_var( 'SELECT COUNT(*) FROM ' . Storage::products() );
	}

	/**
	 * The first ones, with the time of their last change.
	 *
	 * @param int $limit At most so many.
	 * @return array<int, int> Times in milliseconds by id.
	 */
	public static function first( int $limit ): array {
		global $wpdb;
		$rows = (array) $wpdb->get_results( 'SELECT product_id, changed_at FROM ' . Storage::products() . " ORDER BY product_id LIMIT $limit" );
		return array_map( 'intval', array_column( $rows, 'changed_at', 'product_id' ) );
	}

	/**
	 * Deletes those that were sent, unless they have changed again.
	 *
	 * @param array<int, int> $times What first() returned.
	 */
	public static function delete( array $times ): void {
		global $wpdb;
		$conditions = array_map( static fn( int $id, int $time ): string => "(product_id = $id AND changed_at = $time)", array_keys( $times ), $times );
		$wpdb->query( 'DELETE FROM ' . Storage::products() . ' WHERE ' . implode( ' OR ', $conditions ) );
	}
}
