<?php
/**
 * Work in the background by Action Scheduler, which comes with WooCommerce.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

defined( 'ABSPATH' ) || exit;

// phpcs:disable WordPress.DB.DirectDatabaseQuery, WordPress.DB.PreparedSQL -- Action Scheduler has no function that deletes; names of tables are constants, and lists are whole numbers.

/**
 * Schedules work, unless the same work is already scheduled early enough.
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
	 * Seconds after which Action Scheduler counts work as failed.
	 */
	private const RUNNING_S_MAX = 5 * MINUTE_IN_SECONDS;
	/**
	 * Rows that are deleted at once.
	 */
	private const ROWS            = 500;
	private const QUEUE_HOOK      = 'action_scheduler_run_queue';
	private const QUEUE_ARGUMENTS = array( 'Gatehouse' );

	/**
	 * Schedules work, unless it is already scheduled to begin by then. While it is running it is scheduled again, because it may have
	 * missed what is new. Work that waits to be tried again does not delay what is due earlier.
	 *
	 * @param string $hook    Name of the work.
	 * @param int    $delay_s When.
	 */
	public static function schedule( string $hook, int $delay_s ): void {
		// Before this, Action Scheduler has no store.
		if ( ! did_action( 'action_scheduler_init' ) ) {
			return;
		}
		$next = as_next_scheduled_action( $hook, null, self::GROUP );
		if ( ! is_int( $next ) || $next > time() + $delay_s ) {
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
		wp_schedule_single_event( time(), self::QUEUE_HOOK, self::QUEUE_ARGUMENTS );
		spawn_cron();
	}

	/**
	 * Does what became due while WP-Cron was running, at the end of that run. WP-Cron begins no other run
	 * meanwhile, and has read its list of work before. So without this, a change would wait for the next visitor.
	 */
	public static function finish_cron(): void {
		if ( ! did_action( 'action_scheduler_init' ) ) {
			return;
		}
		$due = array(
			'group'        => self::GROUP,
			'status'       => \ActionScheduler_Store::STATUS_PENDING,
			'date'         => as_get_datetime_object(),
			'date_compare' => '<=',
			'per_page'     => 1,
		);
		if ( array() !== as_get_scheduled_actions( $due, 'ids' ) ) {
			do_action( self::QUEUE_HOOK, ...self::QUEUE_ARGUMENTS );
		}
	}

	/**
	 * Deletes what Action Scheduler keeps of this plugin: rows of work that was done or cancelled, their log, and the
	 * names of the groups. Work that is running at this moment finds its row until its time is over.
	 */
	public static function remove_all(): void {
		global $wpdb;
		wp_clear_scheduled_hook( self::QUEUE_HOOK, self::QUEUE_ARGUMENTS );
		if ( ! self::has_store() ) {
			return;
		}
		$actions = $wpdb->prefix . 'actionscheduler_actions';
		$logs    = $wpdb->prefix . 'actionscheduler_logs';
		$groups  = $wpdb->prefix . 'actionscheduler_groups';
		$begun   = gmdate( 'Y-m-d H:i:s', time() - self::RUNNING_S_MAX );
		$ids     = $wpdb->get_col( $wpdb->prepare( "SELECT action_id FROM $actions WHERE hook LIKE %s AND ( status <> 'in-progress' OR last_attempt_gmt < %s )", $wpdb->esc_like( 'gatehouse_' ) . '%', $begun ) );
		foreach ( array_chunk( array_map( 'intval', $ids ), self::ROWS ) as $some ) {
			$list = implode( ', ', $some );
			$wpdb->query( "DELETE FROM $logs WHERE action_id IN ($list)" );
			$wpdb->query( "DELETE FROM $actions WHERE action_id IN ($list)" );
		}
		foreach ( array( self::GROUP, Reservations::GROUP ) as $group ) {
			$wpdb->query( $wpdb->prepare( "DELETE FROM $groups WHERE slug = %s AND group_id NOT IN ( SELECT group_id FROM $actions )", $group ) );
		}
	}

	/**
	 * Cancels work that waits.
	 *
	 * @param string $hook  Name of the work; empty for all of the group.
	 * @param string $group Its group; empty for every group.
	 */
	public static function cancel( string $hook, string $group ): void {
		if ( function_exists( 'as_unschedule_all_actions' ) && self::has_store() ) {
			as_unschedule_all_actions( $hook, array(), $group );
		}
	}

	/**
	 * Whether Action Scheduler has its tables here. In a network of sites, only those with WooCommerce have them.
	 */
	private static function has_store(): bool {
		global $wpdb;
		return null !== $wpdb->get_var( $wpdb->prepare( 'SHOW TABLES LIKE %s', $wpdb->esc_like( $wpdb->prefix . 'actionscheduler_actions' ) ) );
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
