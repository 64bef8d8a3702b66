<?php
/**
 * For the tests: PHP that is sent is run by the server, sooner than in a process of its own, and the plugin's time can
 * be moved. Orders of the sandbox are sales like any other. A worker can be told to die while it works, or to lose its
 * connection with the database.
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
	/**
	 * Kills this worker after so many queries of one kind of message, or before its answer is sent if there are fewer.
	 * The first process of the server stays: the others end with it.
	 */
	add_action(
		'wp_loaded',
		static function (): void {
			$file = WP_CONTENT_DIR . '/dies';
			if ( ! is_file( $file ) || posix_getpgrp() === getmypid() ) {
				return;
			}
			[ 'message' => $message, 'queries' => $left, 'what' => $what ] = json_decode( (string) file_get_contents( $file ), true );
			$is_meant = str_contains( (string) file_get_contents( 'php://input' ), $message );
			// Only one request can rename it.
			if ( ! $is_meant || ! @rename( $file, $file . '.' . getmypid() ) ) {
				return;
			}
			$lose = static function (): void {
				( new wpdb( DB_USER, DB_PASSWORD, DB_NAME, DB_HOST ) )->query( 'KILL ' . $GLOBALS['wpdb']->dbh->thread_id );
				usleep( 20_000 );
			};
			$die  = 'worker' === $what ? static fn() => posix_kill( getmypid(), 9 ) : $lose;
			add_filter(
				'query',
				static function ( $query ) use ( &$left, $die ) {
					if ( 0 === $left-- ) {
						$die();
					}
					return $query;
				}
			);
			if ( 'worker' === $what ) {
				register_shutdown_function( $die );
			}
		},
		1
	);

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
