<?php
/**
 * The plugin's own tables and options.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * Creates the tables when the site connects, and removes all when it disconnects.
 */
final class Storage {
	/**
	 * The table of visits that wait to be reported.
	 */
	public static function visits(): string {
		global $wpdb;
		return $wpdb->prefix . 'gatehouse_visits';
	}

	/**
	 * The table of keys that agents publish.
	 */
	public static function directories(): string {
		global $wpdb;
		return $wpdb->prefix . 'gatehouse_directories';
	}

	/**
	 * The table of goods that are reserved, and of the orders they became.
	 */
	public static function reservations(): string {
		global $wpdb;
		return $wpdb->prefix . 'gatehouse_reservations';
	}

	/**
	 * Creates the tables where they are missing.
	 */
	public static function create(): void {
		global $wpdb;
		require_once ABSPATH . 'wp-admin/includes/upgrade.php';
		$charset      = $wpdb->get_charset_collate();
		$visits       = self::visits();
		$directories  = self::directories();
		$reservations = self::reservations();
		dbDelta(
			"CREATE TABLE $visits (
				id bigint(20) unsigned NOT NULL AUTO_INCREMENT,
				visit text NOT NULL,
				PRIMARY KEY  (id)
			) $charset;"
		);
		dbDelta(
			"CREATE TABLE $directories (
				id char(64) NOT NULL,
				source text NOT NULL,
				jwks longtext NOT NULL,
				fresh_until bigint(20) NOT NULL,
				stale_until bigint(20) NOT NULL,
				not_before bigint(20) NOT NULL,
				wanted tinyint(1) NOT NULL,
				used_at bigint(20) NOT NULL,
				PRIMARY KEY  (id)
			) $charset;"
		);
		dbDelta(
			"CREATE TABLE $reservations (
				id char(64) NOT NULL,
				state varchar(10) NOT NULL,
				shop_order_id bigint(20) unsigned NOT NULL,
				remove_at bigint(20) NOT NULL,
				PRIMARY KEY  (id)
			) $charset;"
		);
	}

	/**
	 * Removes the tables and every option.
	 */
	public static function remove(): void {
		global $wpdb;
		WooCommerce\Reservations::remove_all();
		foreach ( array( self::visits(), self::directories(), self::reservations() ) as $table ) {
			// phpcs:ignore WordPress.DB.DirectDatabaseQuery, WordPress.DB.PreparedSQL.InterpolatedNotPrepared -- our own table.
			$wpdb->query( "DROP TABLE IF EXISTS $table" );
		}
		foreach ( Document::all() as $document ) {
			Kept_Document::remove( $document );
		}
		delete_option( Status::OPTION );
		Lock::remove_all();
		delete_option( Settings::OPTION );
	}
}
