<?php
/**
 * Refunds that WooCommerce could not record.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

defined( 'ABSPATH' ) || exit;

/**
 * Remembers at an order which refunds Gatehouse has made and WooCommerce does not have. If the owner enters one of
 * them, it must not be made again.
 */
final class Missing_Refunds {
	/**
	 * At an order: amounts in minor units by the id of the refund.
	 */
	private const META = '_gatehouse_missing_refunds';

	/**
	 * Remembers a refund.
	 *
	 * @param \WC_Order $order        The order.
	 * @param string    $refund_id    Id at Gatehouse.
	 * @param int       $amount_minor Its amount.
	 * @return bool False if it was known.
	 */
	public static function add( \WC_Order $order, string $refund_id, int $amount_minor ): bool {
		$missing = self::of( $order );
		if ( isset( $missing[ $refund_id ] ) ) {
			return false;
		}
		self::save( $order, $missing + array( $refund_id => $amount_minor ) );
		return true;
	}

	/**
	 * Whether a refund is remembered.
	 *
	 * @param \WC_Order $order     The order.
	 * @param string    $refund_id Id at Gatehouse.
	 */
	public static function has( \WC_Order $order, string $refund_id ): bool {
		return isset( self::of( $order )[ $refund_id ] );
	}

	/**
	 * How many are remembered.
	 *
	 * @param \WC_Order $order The order.
	 */
	public static function count( \WC_Order $order ): int {
		return count( self::of( $order ) );
	}

	/**
	 * Removes a refund that WooCommerce has now.
	 *
	 * @param \WC_Order $order     The order.
	 * @param string    $refund_id Id at Gatehouse.
	 */
	public static function remove( \WC_Order $order, string $refund_id ): void {
		$missing = self::of( $order );
		if ( isset( $missing[ $refund_id ] ) ) {
			self::save( $order, array_diff_key( $missing, array( $refund_id => true ) ) );
		}
	}

	/**
	 * The id of a missing refund of this amount; null if there is none.
	 *
	 * @param \WC_Order $order        The order.
	 * @param int       $amount_minor The amount.
	 */
	public static function find( \WC_Order $order, int $amount_minor ): ?string {
		$id = array_search( $amount_minor, self::of( $order ), true );
		return false === $id ? null : (string) $id;
	}

	/**
	 * What is remembered.
	 *
	 * @param \WC_Order $order The order.
	 * @return array<string, int>
	 */
	private static function of( \WC_Order $order ): array {
		$missing = $order->get_meta( self::META );
		return is_array( $missing ) ? $missing : array();
	}

	/**
	 * Saves what is remembered.
	 *
	 * @param \WC_Order          $order   The order.
	 * @param array<string, int> $missing Amounts by id.
	 */
	private static function save( \WC_Order $order, array $missing ): void {
		$order->update_meta_data( self::META, $missing );
		$order->save_meta_data();
	}
}
