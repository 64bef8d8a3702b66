<?php
/**
 * Sends changes of products.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

use Gatehouse\Schedule;
use Gatehouse\Settings;
use Gatehouse\Status;

defined( 'ABSPATH' ) || exit;

/**
 * Sends the products that have changed, as many in one message as fit.
 */
final class Product_Push {
	/**
	 * Products that are read at once. A variable one has variations besides.
	 */
	private const ROWS = 100;

	/**
	 * Sends what waits.
	 */
	public static function run(): void {
		$settings = Shop_Connection::connection();
		$until    = time() + Work::RUN_S_MAX;
		while ( null !== $settings && time() < $until ) {
			$times = Changed_Products::first( self::ROWS );
			if ( array() === $times ) {
				return;
			}
			$problem = self::send( $settings, array_keys( $times ) );
			if ( '' !== $problem ) {
				self::wait( $problem );
				return;
			}
			Changed_Products::delete( $times );
			Status::note( 'push_problem', '' );
			Status::note( 'push_failures', '0' );
			Status::note( 'pushed_at', (string) time() );
			Free_Memory::now();
		}
		self::resume();
	}

	/**
	 * Goes on if something waits.
	 */
	public static function resume(): void {
		if ( Changed_Products::count() > 0 ) {
			Work::schedule( Schedule::PUSH_PRODUCTS, 0 );
		}
	}

	/**
	 * Tries again later.
	 *
	 * @param string $problem What went wrong.
	 */
	private static function wait( string $problem ): void {
		$failures = 1 + (int) ( Status::all()['push_failures'] ?? 0 );
		Status::note( 'push_problem', $problem );
		Status::note( 'push_failures', (string) $failures );
		Work::schedule( Schedule::PUSH_PRODUCTS, Work::retry_s( $failures ) );
	}

	/**
	 * Sends products in as many messages as they need.
	 *
	 * @param Settings $settings The connection.
	 * @param int[]    $ids      Ids of products and variations.
	 * @return string What went wrong; empty if nothing did.
	 */
	private static function send( Settings $settings, array $ids ): string {
		$message = new Product_Message();
		foreach ( self::with_variations( $ids ) as $id ) {
			$version = Work::now_ms();
			$entry   = Product_Entry::of( $id );
			$put     = static fn( Product_Message $into ): bool => null === $entry ? $into->remove( $id, $version ) : $into->add( $entry );
			if ( $put( $message ) ) {
				continue;
			}
			$problem = $message->send( $settings );
			if ( '' !== $problem ) {
				return $problem;
			}
			$message = new Product_Message();
			$put( $message );
		}
		return $message->send( $settings );
	}

	/**
	 * These products and their variations, in every state: those of a draft are not listed either.
	 *
	 * @param int[] $ids Ids of products.
	 * @return int[]
	 */
	private static function with_variations( array $ids ): array {
		global $wpdb;
		$list = implode( ', ', array_map( 'intval', $ids ) );
		// phpcs:ignore WordPress.DB.DirectDatabaseQuery, WordPress.DB.PreparedSQL -- whole numbers; WooCommerce has no function for every state.
		$variations = $wpdb->get_col( "SELECT ID FROM $wpdb->posts WHERE post_type = 'product_variation' AND post_parent IN ($list)" );
		return array_unique( array_merge( $ids, array_map( 'intval', $variations ) ) );
	}
}
