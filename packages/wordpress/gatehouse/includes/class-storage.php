<?php
/**
 * The plugin's own tables and options.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

use Gatehouse\WooCommerce\Full_Sync;
use Gatehouse\WooCommerce\Order_Mail;
use Gatehouse\WooCommerce\Order_Notices;
use Gatehouse\WooCommerce\Product_Problems;

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
	 * The table of products that have changed and were not sent yet.
	 */
	public static function products(): string {
		global $wpdb;
		return $wpdb->prefix . 'gatehouse_products';
	}

	/**
	 * The table of changes of orders that wait to be sent.
	 */
	public static function order_changes(): string {
		global $wpdb;
		return $wpdb->prefix . 'gatehouse_order_changes';
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
		self::create_queues( $charset );
	}

	/**
	 * Creates the tables of what waits to be sent about the shop.
	 *
	 * @param string $charset Character set of the tables.
	 */
	private static function create_queues( string $charset ): void {
		$products      = self::products();
		$order_changes = self::order_changes();
		dbDelta(
			"CREATE TABLE $products (
				product_id bigint(20) unsigned NOT NULL,
				changed_at bigint(20) NOT NULL,
				PRIMARY KEY  (product_id)
			) $charset;"
		);
		dbDelta(
			"CREATE TABLE $order_changes (
				id bigint(20) unsigned NOT NULL AUTO_INCREMENT,
				event_id varchar(100) NOT NULL,
				shop_order_id bigint(20) unsigned NOT NULL,
				message text NOT NULL,
				failures int(11) NOT NULL,
				not_before bigint(20) NOT NULL,
				created_at bigint(20) NOT NULL,
				PRIMARY KEY  (id),
				UNIQUE KEY event_id (event_id),
				KEY shop_order_id (shop_order_id)
			) $charset;"
		);
	}

	/**
	 * Removes the tables and every option.
	 */
	public static function remove(): void {
		global $wpdb;
		WooCommerce\Reservations::remove_all();
		WooCommerce\Test_Order::remove_all();
		foreach ( array( self::visits(), self::directories(), self::reservations(), self::products(), self::order_changes() ) as $table ) {
			// phpcs:ignore WordPress.DB.DirectDatabaseQuery, WordPress.DB.PreparedSQL.InterpolatedNotPrepared -- our own table.
			$wpdb->query( "DROP TABLE IF EXISTS $table" );
		}
		foreach ( Document::all() as $document ) {
			Kept_Document::remove( $document );
		}
		foreach ( array( Status::OPTION, Last_Visits::OPTION, Connect_Proof::OPTION, Full_Sync::OPTION, Product_Problems::OPTION, Order_Notices::OPTION, Order_Mail::OPTION ) as $option ) {
			delete_option( $option );
		}
		Connection_Status::clear();
		WooCommerce\Work::remove_all();
		Connect_Return::remove_all();
		Lock::remove_all();
		delete_option( Settings::OPTION );
		delete_option( Secrets::OPTION );
	}
}
