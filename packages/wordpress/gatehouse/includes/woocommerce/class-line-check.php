<?php
/**
 * Whether lines can be bought.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

defined( 'ABSPATH' ) || exit;

/**
 * Checks lines one after the other: what one line takes is not there for the next.
 */
final class Line_Check {
	/**
	 * Digits of an id, so that a number never overflows.
	 */
	private const ID_PATTERN = '/^[1-9]\d{0,17}$/D';

	/**
	 * Pieces that earlier lines take, by the id of the product whose stock is counted.
	 *
	 * @var array<int, int>
	 */
	private array $taken = array();

	/**
	 * Checks lines of a question.
	 *
	 * @param Question $question     What is asked.
	 * @param bool     $ignore_stock Whether goods count as available that are not.
	 */
	public function __construct( private readonly Question $question, private readonly bool $ignore_stock ) {}

	/**
	 * Why a line cannot be bought; null if the shop would let anybody put it into a cart.
	 *
	 * @param string $id       Id of the product.
	 * @param int    $quantity How many.
	 */
	public function fault( string $id, int $quantity ): ?string {
		$product = 1 === preg_match( self::ID_PATTERN, $id ) ? wc_get_product( (int) $id ) : false;
		if ( ! $product instanceof \WC_Product || ! self::is_public( $product ) ) {
			return 'not_found';
		}
		if ( ! $this->is_for_sale( $product, $quantity ) ) {
			return 'unavailable';
		}
		if ( $this->ignore_stock ) {
			return null;
		}
		return $this->take( $product, $quantity ) ? null : 'out_of_stock';
	}

	/**
	 * Whether everybody can see the product.
	 *
	 * @param \WC_Product $product Product or variation.
	 */
	private static function is_public( \WC_Product $product ): bool {
		$parent = $product->is_type( 'variation' ) ? wc_get_product( $product->get_parent_id() ) : $product;
		return $parent instanceof \WC_Product && 'publish' === $product->get_status() && 'publish' === $parent->get_status();
	}

	/**
	 * Whether the shop sells so many of the product, in this currency, to this country.
	 *
	 * @param \WC_Product $product  Product or variation.
	 * @param int         $quantity How many.
	 */
	private function is_for_sale( \WC_Product $product, int $quantity ): bool {
		$destination = $this->question->destination;
		if ( get_woocommerce_currency() !== $this->question->currency || ! $product->is_purchasable() ) {
			return false;
		}
		if ( null !== $destination && ! isset( WC()->countries->get_allowed_countries()[ $destination->address['country'] ] ) ) {
			return false;
		}
		return 1 === $quantity || ! $product->is_sold_individually();
	}

	/**
	 * Whether so many are there that nobody has reserved.
	 *
	 * @param \WC_Product $product  Product or variation.
	 * @param int         $quantity How many.
	 */
	private function take( \WC_Product $product, int $quantity ): bool {
		if ( ! $product->is_in_stock() ) {
			return false;
		}
		if ( ! $product->managing_stock() || $product->backorders_allowed() ) {
			return true;
		}
		$counted                 = $product->get_stock_managed_by_id();
		$this->taken[ $counted ] = ( $this->taken[ $counted ] ?? 0 ) + $quantity;
		return $product->get_stock_quantity() - wc_get_held_stock_quantity( $product ) >= $this->taken[ $counted ];
	}
}
