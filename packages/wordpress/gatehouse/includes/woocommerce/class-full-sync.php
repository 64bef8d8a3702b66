<?php
/**
 * The full list of products.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

use Gatehouse\Connection_Status;
use Gatehouse\Schedule;
use Gatehouse\Settings;
use Gatehouse\Status;

defined( 'ABSPATH' ) || exit;

/**
 * Sends all products in parts, after connecting and every night. Each part is noted when it has arrived, so a run
 * that is cut off goes on there.
 */
final class Full_Sync {
	public const OPTION = 'gatehouse_sync';
	/**
	 * Products that are read at once.
	 */
	private const PAGE       = 50;
	private const NIGHT_HOUR = 3;

	/**
	 * Begins a new list. It ends one that is unfinished.
	 */
	public static function start(): void {
		$state = array(
			'id'       => gmdate( 'Y-m-d' ) . '-' . bin2hex( random_bytes( 4 ) ),
			'part'     => 1,
			'after'    => 0,
			'sent'     => 0,
			'failures' => 0,
		);
		update_option( self::OPTION, $state, false );
		Work::schedule( Schedule::FULL_SYNC, 0 );
		Work::begin_soon();
	}

	/**
	 * Goes on with an unfinished list, and makes sure that there is one every night.
	 */
	public static function resume(): void {
		if ( null !== self::state() ) {
			Work::schedule( Schedule::FULL_SYNC, 0 );
		} elseif ( ! isset( Status::all()['synced_at'] ) ) {
			// WooCommerce was activated after the site was connected.
			self::start();
		}
		if ( false === as_next_scheduled_action( Schedule::NIGHTLY_SYNC, null, Work::GROUP ) ) {
			$night = ( new \DateTimeImmutable( 'tomorrow', wp_timezone() ) )->setTime( self::NIGHT_HOUR, 0 );
			as_schedule_recurring_action( $night->getTimestamp(), DAY_IN_SECONDS, Schedule::NIGHTLY_SYNC, array(), Work::GROUP );
		}
	}

	/**
	 * How many products of the list that is being sent have arrived; null if none is being sent.
	 */
	public static function progress(): ?int {
		return self::state()['sent'] ?? null;
	}

	/**
	 * Sends parts, as many as fit into a run.
	 */
	public static function run(): void {
		$problem = self::send( time() + Work::RUN_S_MAX );
		$state   = self::state();
		if ( null !== $state ) {
			Work::schedule( Schedule::FULL_SYNC, '' === $problem ? 0 : Work::retry_s( $state['failures'] ) );
		}
	}

	/**
	 * Sends parts until the list is complete, or time is over.
	 *
	 * @param int           $until    Seconds.
	 * @param callable|null $progress Takes the number of products that have arrived.
	 * @return string What went wrong; empty if nothing did.
	 */
	public static function send( int $until, ?callable $progress = null ): string {
		$settings = Shop_Connection::connection();
		$state    = self::state();
		while ( null !== $settings && null !== $state && time() < $until ) {
			[ $problem, $next ] = self::send_part( $settings, $state );
			if ( ( self::state()['id'] ?? null ) !== $state['id'] ) {
				// Somebody has begun a new list.
				return '';
			}
			Status::note( 'sync_problem', $problem );
			if ( '' !== $problem ) {
				++$state['failures'];
				update_option( self::OPTION, $state, false );
				return $problem;
			}
			null === $next ? self::finish() : update_option( self::OPTION, $next, false );
			null === $progress || $progress( $next['sent'] ?? (int) Status::all()['synced'] );
			$state = $next;
		}
		return '';
	}

	/**
	 * Sends one part.
	 *
	 * @param Settings                                                           $settings The connection.
	 * @param array{id: string, part: int, after: int, sent: int, failures: int} $state    Where the list is.
	 * @return array{string, array<string, mixed>|null} What went wrong, and where the list is then; null at its end.
	 */
	private static function send_part( Settings $settings, array $state ): array {
		$message  = new Product_Message();
		$next     = $state;
		$is_full  = false;
		$has_more = true;
		while ( ! $is_full && $has_more ) {
			$ids      = self::page( $next['after'] );
			$has_more = array() !== $ids;
			_prime_post_caches( $ids );
			foreach ( $ids as $id ) {
				$entry   = Product_Entry::of( $id );
				$is_full = null !== $entry && ! $message->add( $entry );
				if ( $is_full ) {
					break;
				}
				$next['after'] = $id;
			}
			Free_Memory::now();
		}
		$sync = array(
			'id'   => $state['id'],
			'part' => $state['part'],
			'last' => ! $is_full,
		);

		$problem          = $message->send( $settings, $sync );
		$next['part']     = $state['part'] + 1;
		$next['sent']     = $state['sent'] + $message->count();
		$next['failures'] = 0;
		if ( '' === $problem && ! $is_full ) {
			Status::note( 'synced', (string) $next['sent'] );
		}
		return array( $problem, $is_full ? $next : null );
	}

	/**
	 * Ids of products and variations that are published, in order.
	 *
	 * @param int $after The last one that was read.
	 * @return int[]
	 */
	private static function page( int $after ): array {
		global $wpdb;
		// phpcs:ignore WordPress.DB.DirectDatabaseQuery -- by the primary key: an offset would take longer the further it is.
		$ids = $wpdb->get_col( $wpdb->prepare( "SELECT ID FROM $wpdb->posts WHERE post_type IN ('product', 'product_variation') AND post_status = 'publish' AND ID > %d ORDER BY ID LIMIT %d", $after, self::PAGE ) );
		return array_map( 'intval', $ids );
	}

	/**
	 * Notes that the list is complete.
	 */
	private static function finish(): void {
		delete_option( self::OPTION );
		Status::note( 'synced_at', (string) time() );
		// It counts other products now.
		Connection_Status::clear();
	}

	/**
	 * Where the list is; null if none is being sent.
	 *
	 * @return array{id: string, part: int, after: int, sent: int, failures: int}|null
	 */
	private static function state(): ?array {
		$state = get_option( self::OPTION );
		return is_array( $state ) ? $state : null;
	}
}
