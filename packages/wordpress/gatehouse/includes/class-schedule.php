<?php
/**
 * When the background work runs.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * Runs every minute by WP-Cron. Action Scheduler would keep a row of each run for a month.
 */
final class Schedule {
	public const HOOK      = 'gatehouse_background';
	private const INTERVAL = 'gatehouse_minute';
	/**
	 * Work for the shop, by Action Scheduler. The names are here because every page needs them, and nothing else
	 * of this work.
	 */
	public const PUSH_PRODUCTS      = 'gatehouse_push_products';
	public const FULL_SYNC          = 'gatehouse_full_sync';
	public const NIGHTLY_SYNC       = 'gatehouse_nightly_sync';
	public const SEND_ORDER_CHANGES = 'gatehouse_send_order_changes';

	/**
	 * Makes the interval known.
	 *
	 * @param array<string, array<string, mixed>> $schedules Intervals by name.
	 * @return array<string, array<string, mixed>>
	 */
	public static function add_interval( array $schedules ): array {
		// No translation here: WordPress asks for intervals before languages are loaded.
		$schedules[ self::INTERVAL ] = array(
			'interval' => MINUTE_IN_SECONDS,
			'display'  => 'Every minute (Gatehouse)',
		);
		return $schedules;
	}

	/**
	 * Starts the work, unless it runs already.
	 */
	public static function start(): void {
		if ( false === wp_next_scheduled( self::HOOK ) ) {
			wp_schedule_event( time(), self::INTERVAL, self::HOOK );
			Status::note( 'scheduled_at', (string) time() );
		}
	}

	/**
	 * Stops it.
	 */
	public static function stop(): void {
		wp_clear_scheduled_hook( self::HOOK );
	}
}
