<?php
/**
 * Where the plugin meets WordPress.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * Registers the plugin's hooks.
 */
final class Plugin {
	public const VERSION = '0.2.0';

	/**
	 * Registers everything. Classes load when their hook fires.
	 *
	 * @param string $file Main file of the plugin.
	 */
	public static function boot( string $file ): void {
		// Before WordPress looks for a page at these paths.
		add_action( 'parse_request', array( Document_Server::class, 'answer' ), 0 );
		add_action( 'wp_enqueue_scripts', array( Embed::class, 'enqueue' ) );
		add_action( 'shutdown', array( Visit_Observer::class, 'observe' ) );
		// The interval must be known wherever WordPress reschedules an event.
		// phpcs:ignore WordPress.WP.CronInterval.ChangeDetected -- one minute; a run without work makes no request.
		add_filter( 'cron_schedules', array( Schedule::class, 'add_interval' ) );
		add_action( Schedule::HOOK, array( Background::class, 'run' ) );
		WooCommerce\Shop::boot( $file );
		if ( is_admin() ) {
			add_action( 'admin_init', array( Connection::class, 'resume' ) );
			add_action( 'admin_menu', array( Settings_Page::class, 'add' ) );
			foreach ( Settings_Actions::NAMES as $name ) {
				add_action( 'admin_post_gatehouse_' . $name, array( Settings_Actions::class, $name ) );
			}
			add_filter( 'plugin_action_links_' . plugin_basename( $file ), array( Settings_Page::class, 'add_link' ) );
		}
		if ( defined( 'WP_CLI' ) && WP_CLI ) {
			\WP_CLI::add_command( 'gatehouse', Cli_Command::class );
		}
	}
}
