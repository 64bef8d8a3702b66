<?php
/**
 * Memory of long work.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

defined( 'ABSPATH' ) || exit;

/**
 * WordPress keeps everything it has read until the process ends.
 */
final class Free_Memory {
	/**
	 * Lets go of what was read. A cache that is shared with other processes keeps its entries.
	 */
	public static function now(): void {
		global $wpdb;
		$wpdb->queries = array();
		if ( wp_cache_supports( 'flush_runtime' ) ) {
			wp_cache_flush_runtime();
		}
	}
}
