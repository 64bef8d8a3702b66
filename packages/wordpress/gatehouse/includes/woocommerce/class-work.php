<?php
/**
 * Work in the background by Action Scheduler, which comes with WooCommerce.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

defined( 'ABSPATH' ) || exit;

/**
 * Schedules work so that it waits at most once.
 */
final class Work {
	public const GROUP = 'gatehouse_sending';
	/**
	 * Seconds after which a run begins nothing more. Hosts end a run after 30.
	 */
	public const RUN_S_MAX = 15;
	/**
	 * Seconds before work that failed is tried again: twice as many each time.
	 */
	private const RETRY_S     = 30;
	private const RETRY_S_MAX = 30 * MINUTE_IN_SECONDS;

	/**
	 * Schedules work, unless it waits already. While it is running it is scheduled again, because it may have
	 * missed what is new.
	 *
	 * @param string $hook    Name of the work.
	 * @param int    $delay_s When.
	 */
	public static function schedule( string $hook, int $delay_s ): void {
		// Before this, Action Scheduler has no store.
		if ( did_action( 'action_scheduler_init' ) && ! is_int( as_next_scheduled_action( $hook, null, self::GROUP ) ) ) {
			as_schedule_single_action( time() + $delay_s, $hook, array(), self::GROUP );
		}
	}

	/**
	 * Has what is due begin when this request has ended. WP-Cron looks for work only once a minute, and agents should
	 * see a change sooner.
	 */
	public static function begin_soon(): void {
		add_action( 'shutdown', array( self::class, 'begin' ), PHP_INT_MAX );
	}

	/**
	 * Asks this site to run what is due, without waiting. Where a server calls WP-Cron, its times count.
	 */
	public static function begin(): void {
		if ( defined( 'DISABLE_WP_CRON' ) && DISABLE_WP_CRON ) {
			return;
		}
		wp_schedule_single_event( time(), 'action_scheduler_run_queue', array( 'Gatehouse' ) );
		spawn_cron();
	}

	/**
	 * How long to wait before work is tried again.
	 *
	 * @param int $failures How often it has failed, 1 or more.
	 */
	public static function retry_s( int $failures ): int {
		return min( self::RETRY_S * 2 ** min( max( 0, $failures - 1 ), 10 ), self::RETRY_S_MAX );
	}

	/**
	 * Now, in milliseconds.
	 */
	public static function now_ms(): int {
		return (int) floor( microtime( true ) * 1000 );
	}
}
