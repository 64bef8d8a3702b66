<?php
/**
 * Loads the plugin's classes when they are first used, so that a page loads only what it needs.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

defined( 'ABSPATH' ) || exit;

spl_autoload_register(
	static function ( string $name ): void {
		if ( ! str_starts_with( $name, 'Gatehouse\\' ) ) {
			return;
		}
		// Gatehouse\WooCommerce\Order_Lock is in woocommerce/class-order-lock.php.
		$parts = explode( '\\', strtolower( str_replace( '_', '-', substr( $name, 10 ) ) ) );
		$slug  = array_pop( $parts );
		$file  = implode( '/', array( __DIR__, ...$parts, 'class-' . $slug . '.php' ) );
		if ( is_file( $file ) ) {
			require_once $file;
		}
	}
);
