<?php
/**
 * Where the plugin meets WordPress.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

use Gatehouse\WooCommerce\Full_Sync;
use Gatehouse\WooCommerce\Order_Change_Sender;
use Gatehouse\WooCommerce\Order_Intents;
use Gatehouse\WooCommerce\Order_Observer;
use Gatehouse\WooCommerce\Order_Notices;
use Gatehouse\WooCommerce\Product_Observer;
use Gatehouse\WooCommerce\Product_Push;
use Gatehouse\WooCommerce\Work;

defined( 'ABSPATH' ) || exit;

/**
 * Registers the plugin's hooks.
 */
final class Plugin {
	public const VERSION = '0.2.0';
	/**
	 * Hooks whose first argument is a product or its id.
	 */
	private const PRODUCT_HOOKS = array(
		'save_post_product',
		'woocommerce_new_product',
		'woocommerce_update_product',
		'woocommerce_new_product_variation',
		'woocommerce_update_product_variation',
		'woocommerce_product_set_stock',
		'woocommerce_variation_set_stock',
		'woocommerce_product_set_stock_status',
		'woocommerce_variation_set_stock_status',
	);
	/**
	 * Hooks after which all prices may be others.
	 */
	private const PRICE_HOOKS = array(
		'woocommerce_settings_saved',
		'woocommerce_tax_rate_added',
		'woocommerce_tax_rate_updated',
		'woocommerce_tax_rate_deleted',
	);

	/**
	 * Registers everything. Classes load when their hook fires.
	 *
	 * @param string $file Main file of the plugin.
	 */
	public static function boot( string $file ): void {
		// Before anything of the plugin is put into words. Translations of wordpress.org come first.
		add_action( 'init', static fn() => load_plugin_textdomain( 'gatehouse', false, dirname( plugin_basename( $file ) ) . '/languages' ), 0 );
		// Before WordPress looks for a page at these paths.
		add_action( 'parse_request', array( Document_Server::class, 'answer' ), 0 );
		add_action( 'wp_enqueue_scripts', array( Embed::class, 'enqueue' ) );
		add_action( 'shutdown', array( Visit_Observer::class, 'observe' ) );
		// The interval must be known wherever WordPress reschedules an event.
		// phpcs:ignore WordPress.WP.CronInterval.ChangeDetected -- one minute; a run without work makes no request.
		add_filter( 'cron_schedules', array( Schedule::class, 'add_interval' ) );
		add_action( Schedule::HOOK, array( Background::class, 'run' ) );
		WooCommerce\Shop::boot( $file );
		self::watch_shop();
		if ( is_admin() ) {
			add_action( 'admin_init', array( Connection::class, 'resume' ) );
			add_action( 'admin_menu', array( Settings_Page::class, 'add' ) );
			foreach ( Settings_Actions::NAMES as $name ) {
				add_action( 'admin_post_gatehouse_' . $name, array( Settings_Actions::class, $name ) );
			}
			add_action( 'load-settings_page_' . Settings_Page::SLUG, array( Settings_Actions::class, 'finish_return' ) );
			add_action( 'admin_notices', array( Order_Notices::class, 'show' ) );
			add_action( 'admin_post_gatehouse_dismiss', array( Order_Notices::class, 'dismiss' ) );
			add_filter( 'site_status_tests', array( Site_Health::class, 'add' ) );
			add_filter( 'plugin_action_links_' . plugin_basename( $file ), array( Settings_Page::class, 'add_link' ) );
		}
		if ( defined( 'WP_CLI' ) && WP_CLI ) {
			\WP_CLI::add_command( 'gatehouse', Cli_Command::class );
		}
	}

	/**
	 * Registers what notices and sends changes of the shop. These hooks fire when something changes, never while
	 * a page is only shown.
	 */
	private static function watch_shop(): void {
		foreach ( self::PRODUCT_HOOKS as $hook ) {
			add_action( $hook, array( Product_Observer::class, 'note' ) );
		}
		foreach ( self::PRICE_HOOKS as $hook ) {
			add_action( $hook, array( Product_Observer::class, 'note_all' ) );
		}
		add_action( 'transition_post_status', array( Product_Observer::class, 'note_state' ), 10, 3 );
		add_action( 'deleted_post', array( Product_Observer::class, 'note_post' ), 10, 2 );
		add_action( 'woocommerce_before_order_object_save', array( Order_Intents::class, 'note_save' ) );
		add_action( 'woocommerce_before_order_refund_object_save', array( Order_Intents::class, 'note_save' ) );
		add_action( 'woocommerce_order_status_changed', array( Order_Observer::class, 'note_status' ), 10, 4 );
		add_action( 'woocommerce_order_refunded', array( Order_Observer::class, 'note_refund' ), 10, 2 );
		add_action( Schedule::PUSH_PRODUCTS, array( Product_Push::class, 'run' ) );
		add_action( Schedule::FULL_SYNC, array( Full_Sync::class, 'run' ) );
		add_action( Schedule::NIGHTLY_SYNC, array( Full_Sync::class, 'start' ) );
		add_action( Schedule::SEND_ORDER_CHANGES, array( Order_Change_Sender::class, 'run' ) );
		if ( wp_doing_cron() ) {
			add_action( 'shutdown', array( Work::class, 'finish_cron' ), PHP_INT_MAX );
		}
	}
}
