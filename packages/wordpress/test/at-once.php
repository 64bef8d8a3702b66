<?php
/**
 * For the tests: PHP that is sent is run by the server, sooner than in a process of its own, and the plugin's time can
 * be moved. Orders of the sandbox are sales like any other.
 *
 * @package Gatehouse
 */

namespace Gatehouse {
	/**
	 * Seconds since 1970 as the test wants them.
	 */
	function time(): int {
		$file = WP_CONTENT_DIR . '/seconds-ahead';
		return \time() + ( is_file( $file ) ? (int) file_get_contents( $file ) : 0 );
	}
}

namespace Gatehouse\WooCommerce {
	/**
	 * The same for what the plugin does in a shop.
	 */
	function time(): int {
		return \Gatehouse\time();
	}
}

namespace {
	// What the sandbox pays for goes the way of every sale.
	add_filter( 'gatehouse_keep_tests_apart', static fn() => false );
	add_action(
		'wp_loaded',
		static function (): void {
			if ( '/run-at-once' !== ( $_SERVER['REQUEST_URI'] ?? '' ) ) {
				return;
			}
			wp_set_current_user( 1 );
			// phpcs:ignore Squiz.PHP.Eval.Discouraged -- only in a shop of the tests, which nobody else reaches.
			eval( file_get_contents( 'php://input' ) );
			exit;
		},
		PHP_INT_MAX
	);
}
