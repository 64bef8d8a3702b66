<?php
/**
 * Whether the shop's connection works.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

use Gatehouse\WooCommerce\Order_Change_Queue;
use Gatehouse\WooCommerce\Product_Problems;
use Gatehouse\WooCommerce\Shop;
use Gatehouse\WooCommerce\Shop_Connection;

defined( 'ABSPATH' ) || exit;

/**
 * What needs the owner's attention, by what Gatehouse says and by what waits here.
 */
final class Shop_Health {
	/**
	 * Problems in sentences.
	 *
	 * @param Connection_Status|\WP_Error $status What Gatehouse says.
	 * @return string[]
	 */
	public static function problems( Connection_Status|\WP_Error $status ): array {
		$problems = $status instanceof Connection_Status ? self::problems_there( $status ) : array( $status->get_error_message() );
		$notes    = Status::all();
		if ( ! Shop_Connection::is_there() ) {
			// A site that was connected without a shop needs none.
			return Shop_Connection::is_wanted() ? array( ...$problems, Shop::problem() ) : $problems;
		}
		$left_out = Product_Problems::left_out();
		if ( '' !== $left_out ) {
			$problems[] = $left_out;
		}
		foreach ( array( 'sync_problem', 'push_problem' ) as $name ) {
			if ( '' !== ( $notes[ $name ] ?? '' ) ) {
				$problems[] = __( 'Products could not be sent. They are sent again automatically.', 'gatehouse' ) . ' ' . $notes[ $name ];
			}
		}
		if ( '' !== ( $notes['order_problem'] ?? '' ) && Order_Change_Queue::count() > 0 ) {
			$problems[] = __( 'A change of an order could not be sent. It is sent again automatically.', 'gatehouse' ) . ' ' . $notes['order_problem'];
		}
		return $problems;
	}

	/**
	 * What Gatehouse says.
	 *
	 * @param Connection_Status $status Its answer.
	 * @return string[]
	 */
	private static function problems_there( Connection_Status $status ): array {
		$problems = array();
		if ( Connection_Status::PENDING === $status->site ) {
			$problems[] = __( 'Your domain is not verified. Gatehouse could not read the verification file on your site.', 'gatehouse' );
		}
		if ( ! Shop_Connection::is_wanted() ) {
			return $problems;
		}
		if ( '' !== $status->sync_problem ) {
			$problems[] = $status->sync_problem;
		}
		if ( $status->failed > 0 ) {
			/* translators: %d: number of messages */
			$problems[] = sprintf( _n( 'Gatehouse could not deliver %d message to this site in time. Send it again in the console, in Settings → Notifications.', 'Gatehouse could not deliver %d messages to this site in time. Send them again in the console, in Settings → Notifications.', $status->failed, 'gatehouse' ), $status->failed );
		}
		foreach ( $status->missing as $missing ) {
			/* translators: %s: what is missing */
			$problems[] = sprintf( __( 'Agents cannot buy yet: %s', 'gatehouse' ), $missing );
		}
		return $problems;
	}
}
