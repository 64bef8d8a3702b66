<?php
/**
 * Releasing goods.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

defined( 'ABSPATH' ) || exit;

/**
 * Frees what a reservation holds, and remembers its id: a reservation that arrives late must not hold the goods again.
 */
final class Release {
	/**
	 * Answers a message of the type release.
	 *
	 * @param Fields $fields What was sent.
	 * @return array<string, string>
	 */
	public static function answer( Fields $fields ): array {
		$id = $fields->id( 'reservation_id' );
		Reservations::lock( $id, static fn() => self::release( $id ) );
		return array( 'type' => 'release.answer' );
	}

	/**
	 * Releases a reservation, unless it became an order.
	 *
	 * @param string $id Id of the reservation.
	 */
	private static function release( string $id ): void {
		$known = Reservations::find( $id );
		if ( Reservations::ORDERED === ( $known['state'] ?? '' ) ) {
			return;
		}
		Draft_Order::remove( $known['shop_order_id'] ?? 0 );
		Reservations::keep( $id, Reservations::RELEASED, 0, time() + DAY_IN_SECONDS );
	}
}
