<?php
/**
 * Prices of products.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

defined( 'ABSPATH' ) || exit;

/**
 * Reads the price that a visitor sees, with or without tax, and the sale that it belongs to.
 */
final class Product_Prices {
	/**
	 * The fields about prices; empty if the product has no price.
	 *
	 * @param \WC_Product $product Product or variation.
	 * @return array<string, string>
	 */
	public static function of( \WC_Product $product ): array {
		$now = self::shown( $product, $product->get_price() );
		if ( null === $now ) {
			return array();
		}
		$from = $product->get_date_on_sale_from();
		if ( null !== $from && $from->getTimestamp() > time() ) {
			return self::sale( $product, $now, self::shown( $product, $product->get_sale_price() ) );
		}
		$regular = $product->is_on_sale() ? self::shown( $product, $product->get_regular_price() ) : null;
		return null === $regular ? self::fields( $now ) : self::sale( $product, $regular, $now );
	}

	/**
	 * A regular price with a sale, if the sale price is lower.
	 *
	 * @param \WC_Product $product Product or variation.
	 * @param int         $regular The price without the sale, in minor units.
	 * @param int|null    $lower   The price of the sale.
	 * @return array<string, string>
	 */
	private static function sale( \WC_Product $product, int $regular, ?int $lower ): array {
		if ( null === $lower || $lower >= $regular ) {
			return self::fields( $regular );
		}
		$fields = self::fields( $regular );
		$times  = array(
			'sale_from'  => $product->get_date_on_sale_from(),
			'sale_until' => $product->get_date_on_sale_to(),
		);
		if ( ! in_array( null, $times, true ) && $times['sale_until'] <= $times['sale_from'] ) {
			return $fields;
		}
		foreach ( $times as $name => $time ) {
			if ( null !== $time ) {
				$fields[ $name ] = gmdate( 'Y-m-d\TH:i:s\Z', $time->getTimestamp() );
			}
		}
		return $fields + array( 'sale_price' => Money::decimal( $lower, get_woocommerce_currency() ) );
	}

	/**
	 * A price with its currency.
	 *
	 * @param int $minor Minor units.
	 * @return array<string, string>
	 */
	private static function fields( int $minor ): array {
		$currency = get_woocommerce_currency();
		return array(
			'price'    => Money::decimal( $minor, $currency ),
			'currency' => $currency,
		);
	}

	/**
	 * A price as visitors see it, in minor units; null if it is none.
	 *
	 * @param \WC_Product $product Product or variation.
	 * @param mixed       $price   As WooCommerce stores it.
	 */
	private static function shown( \WC_Product $product, mixed $price ): ?int {
		if ( ! is_numeric( $price ) ) {
			return null;
		}
		$shown = wc_get_price_to_display( $product, array( 'price' => (float) $price ) );
		if ( ! is_numeric( $shown ) || $shown < 0 ) {
			return null;
		}
		return Money::minor( round( (float) $shown, wc_get_price_decimals() ), get_woocommerce_currency() );
	}
}
