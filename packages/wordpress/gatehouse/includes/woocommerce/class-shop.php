<?php
/**
 * Where the plugin meets WooCommerce.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

defined( 'ABSPATH' ) || exit;

/**
 * Registers the hooks of the connector. None of them runs where WooCommerce is absent, except the endpoint.
 */
final class Shop {
	/**
	 * The first version that keeps orders in tables of their own by default.
	 */
	public const VERSION_LEAST = '8.2';
	/**
	 * Removes old reservations.
	 */
	public const REMOVE_HOOK = 'gatehouse_remove_reservations';
	/**
	 * WooCommerce's mails about what Gatehouse has sent a mail about.
	 */
	private const BUYER_MAILS = array( 'customer_processing_order', 'customer_on_hold_order', 'customer_completed_order', 'customer_cancelled_order' );

	/**
	 * Registers everything.
	 *
	 * @param string $file Main file of the plugin.
	 */
	public static function boot( string $file ): void {
		add_action( 'parse_request', array( Connector::class, 'answer' ), 0 );
		// Only pages of the admin and commands ask what a plugin works with. Elsewhere it would cost milliseconds.
		if ( is_admin() || 'cli' === PHP_SAPI ) {
			add_action( 'before_woocommerce_init', static fn() => self::declare_compatibility( $file ) );
		}
		add_action( self::REMOVE_HOOK, array( Reservations::class, 'remove_old' ) );
		foreach ( self::BUYER_MAILS as $mail ) {
			add_filter( 'woocommerce_email_enabled_' . $mail, array( Order_Mail::class, 'is_enabled' ), 10, 2 );
		}
		foreach ( Order_Mail::REFUNDS as $mail ) {
			add_filter( 'woocommerce_email_enabled_' . $mail, array( Order_Mail::class, 'is_refund_enabled' ), 10, 2 );
		}
		Test_Order::boot();
		if ( is_admin() ) {
			add_action( 'admin_notices', array( Version_Notice::class, 'show' ) );
			add_filter( 'woocommerce_hidden_order_itemmeta', static fn( array $keys ): array => array( ...$keys, Order::META_LINE ) );
		}
	}

	/**
	 * Says which optional parts of WooCommerce the plugin works with.
	 *
	 * @param string $file Main file of the plugin.
	 */
	private static function declare_compatibility( string $file ): void {
		if ( ! class_exists( \Automattic\WooCommerce\Utilities\FeaturesUtil::class ) ) {
			return;
		}
		\Automattic\WooCommerce\Utilities\FeaturesUtil::declare_compatibility( 'custom_order_tables', $file );
		\Automattic\WooCommerce\Utilities\FeaturesUtil::declare_compatibility( 'cart_checkout_blocks', $file );
	}

	/**
	 * Whether WooCommerce can be used by now. Before its hook `woocommerce_init` it has no orders and no cart.
	 */
	public static function is_ready(): bool {
		return Shop_Connection::is_there() && did_action( 'woocommerce_init' ) > 0;
	}

	/**
	 * Why the shop cannot sell to agents, in a sentence; empty if it can.
	 */
	public static function problem(): string {
		if ( ! self::is_active() ) {
			return __( 'WooCommerce is not active, so agents cannot buy. Activate it.', 'gatehouse' );
		}
		if ( self::is_outdated() ) {
			/* translators: 1: version of WooCommerce, 2: version of WooCommerce */
			return sprintf( __( 'Agents cannot buy, because this site has WooCommerce %1$s. Update WooCommerce to version %2$s or later.', 'gatehouse' ), WC_VERSION, self::VERSION_LEAST );
		}
		return '';
	}

	/**
	 * Whether WooCommerce is active, but too old.
	 */
	public static function is_outdated(): bool {
		return self::is_active() && version_compare( WC_VERSION, self::VERSION_LEAST, '<' );
	}

	/**
	 * Whether there is any WooCommerce, with its Action Scheduler.
	 */
	public static function is_active(): bool {
		return defined( 'WC_VERSION' ) && function_exists( 'WC' ) && function_exists( 'as_schedule_single_action' );
	}
}
