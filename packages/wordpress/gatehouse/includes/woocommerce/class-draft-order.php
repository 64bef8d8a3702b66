<?php
/**
 * Orders that are not paid yet.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

use Automattic\WooCommerce\Checkout\Helpers\ReserveStock;
use Automattic\WooCommerce\Checkout\Helpers\ReserveStockException;
use Gatehouse\Lock;

defined( 'ABSPATH' ) || exit;

/**
 * A draft of an order, as WooCommerce's own checkout makes one. WooCommerce holds stock for drafts.
 */
final class Draft_Order {
	public const CREATED_VIA = 'gatehouse';
	public const STATUS      = 'checkout-draft';

	private const LOCK       = 'stock';
	private const LOCK_S_MAX = 30;
	private const WAIT_S_MAX = 3.0;

	/**
	 * Makes a draft of what is in the cart.
	 *
	 * @param Scratch_Cart $scratch The cart.
	 */
	public static function create( Scratch_Cart $scratch ): \WC_Order {
		$order = self::blank( $scratch->question->currency );
		// Line items, taxes, delivery, fees and coupons, with the hooks of a checkout.
		WC()->checkout()->set_data_from_cart( $order );
		if ( null !== $scratch->question->destination ) {
			$order->set_shipping_address( $scratch->question->destination->address );
		}
		$order->save();
		return $order;
	}

	/**
	 * A draft without lines, which is not saved yet.
	 *
	 * @param string $currency Code of the currency.
	 */
	public static function blank( string $currency ): \WC_Order {
		$order = new \WC_Order();
		// Otherwise it would count as an order that became a draft.
		$default = static fn(): string => self::STATUS;
		add_filter( 'woocommerce_default_order_status', $default );
		$order->set_status( self::STATUS );
		remove_filter( 'woocommerce_default_order_status', $default );
		$order->set_created_via( self::CREATED_VIA );
		$order->set_currency( $currency );
		$order->set_prices_include_tax( wc_prices_include_tax() );
		return $order;
	}

	/**
	 * A draft; null if it is gone or became an order.
	 *
	 * @param int $id Id of the order.
	 */
	public static function find( int $id ): ?\WC_Order {
		$order = wc_get_order( $id );
		return $order instanceof \WC_Order && $order->has_status( self::STATUS ) && self::CREATED_VIA === $order->get_created_via() ? $order : null;
	}

	/**
	 * Holds the stock of an order, or holds it longer.
	 *
	 * @param \WC_Order $order   The order.
	 * @param int       $minutes How long.
	 * @return bool Whether everything is there. If not, nothing is held.
	 * @throws Busy If others are reserving for long.
	 */
	public static function hold_stock( \WC_Order $order, int $minutes ): bool {
		if ( self::extend( $order->get_id(), $minutes ) ) {
			return true;
		}
		try {
			self::lock( static fn() => ( new ReserveStock() )->reserve_stock_for_order( $order, $minutes ) );
			return true;
		} catch ( ReserveStockException ) {
			return false;
		}
	}

	/**
	 * Changes stock, and notes it at the order: both are stored, or nothing is.
	 *
	 * @template T
	 * @param callable(): T $work What to do.
	 * @return T
	 * @throws Busy If others are changing stock for long.
	 */
	public static function change_stock( callable $work ): mixed {
		return self::lock( static fn() => Transaction::run( $work ) );
	}

	/**
	 * Runs one such work at a time, because a database ends one of two transactions that wait for each other.
	 *
	 * @template T
	 * @param callable(): T $work What to do.
	 * @return T
	 * @throws Busy If others do it for long.
	 */
	private static function lock( callable $work ): mixed {
		$lock = Lock::wait( self::LOCK, self::LOCK_S_MAX, self::WAIT_S_MAX );
		if ( null === $lock ) {
			throw new Busy( 'Too many reservations at the same time.' );
		}
		try {
			return $work();
		} finally {
			$lock->free();
		}
	}

	/**
	 * Holds stock longer that is still held. WooCommerce takes a second query within a second, which changes nothing, for
	 * missing stock, and frees what is held.
	 *
	 * @param int $id      Id of the order.
	 * @param int $minutes How long from now.
	 * @return bool Whether something is still held.
	 */
	private static function extend( int $id, int $minutes ): bool {
		global $wpdb;
		// phpcs:disable WordPress.DB.DirectDatabaseQuery -- WooCommerce has no function for it.
		$held = (int) $wpdb->get_var( $wpdb->prepare( "SELECT COUNT(*) FROM $wpdb->wc_reserved_stock WHERE order_id = %d AND expires > NOW()", $id ) );
		if ( $held > 0 ) {
			$wpdb->query( $wpdb->prepare( "UPDATE $wpdb->wc_reserved_stock SET expires = ( NOW() + INTERVAL %d MINUTE ) WHERE order_id = %d", $minutes, $id ) );
		}
		// phpcs:enable
		return $held > 0;
	}

	/**
	 * Removes a draft and frees its stock and coupons. An order stays.
	 *
	 * @param int $id Id of the order.
	 */
	public static function remove( int $id ): void {
		$draft = self::find( $id );
		if ( null === $draft ) {
			return;
		}
		Incoming::run(
			static function () use ( $draft ): void {
				( new ReserveStock() )->release_stock_for_order( $draft );
				wc_release_coupons_for_order( $draft );
				$draft->delete( true );
			}
		);
	}
}
