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
		$slug = strtolower( str_replace( '_', '-', substr( $name, 10 ) ) );
		$file = __DIR__ . '/class-' . $slug . '.php';
		if ( is_file( $file ) ) {
			require_once $file;
		}
	}
);
