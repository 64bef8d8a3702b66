<?php
/**
 * A product as Gatehouse lists it.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

defined( 'ABSPATH' ) || exit;

/**
 * Reads a product of WooCommerce. Every variation is a product of its own.
 */
final class Product_Entry {
	private const IMAGE_SIZE = 'large';

	/**
	 * The fields of a product; null if agents must not find it.
	 *
	 * @param int $id Id of a product or variation.
	 * @return array<string, mixed>|null
	 */
	public static function of( int $id ): ?array {
		// Before it is read: what changes while it is read has a higher version.
		$version = Work::now_ms();
		$product = wc_get_product( $id );
		if ( ! $product instanceof \WC_Product || ! self::is_listed( $product ) ) {
			return null;
		}
		$title  = Product_Text::plain( self::title( $product ), Product_Text::TITLE_CHARS_MAX );
		$prices = Product_Prices::of( $product );
		if ( '' === $title || array() === $prices ) {
			return null;
		}
		$entry = array(
			'id'           => (string) $id,
			'version'      => $version,
			'title'        => $title,
			'description'  => Product_Text::plain( self::description( $product ), Product_Text::DESCRIPTION_CHARS_MAX ),
			'url'          => Product_Text::address( $product->get_permalink() ),
			'image_url'    => Product_Text::address( wp_get_attachment_image_url( (int) $product->get_image_id(), self::IMAGE_SIZE ) ),
			'availability' => self::availability( $product ),
			'quantity'     => self::quantity( $product ),
		);
		return array_filter( $entry + $prices + Product_Details::of( $product ), static fn( mixed $value ): bool => null !== $value && '' !== $value );
	}

	/**
	 * Whether everybody can find and buy a product here by its id alone.
	 *
	 * @param \WC_Product $product Product or variation.
	 */
	private static function is_listed( \WC_Product $product ): bool {
		$parent = $product->is_type( 'variation' ) ? wc_get_product( $product->get_parent_id() ) : $product;
		$is_one = $product === $parent ? $product->is_type( 'simple' ) : $parent instanceof \WC_Product && $parent->is_type( 'variable' );
		if ( ! $is_one || 'publish' !== $product->get_status() || 'publish' !== $parent->get_status() || 'hidden' === $parent->get_catalog_visibility() ) {
			return false;
		}
		return ! self::is_for_any( $product ) && '' === (string) get_post_field( 'post_password', $parent->get_id() ) && $product->is_purchasable();
	}

	/**
	 * Whether a product is a variation for “any size”, which cannot be bought without choosing one.
	 *
	 * @param \WC_Product $product Product or variation.
	 */
	public static function is_for_any( \WC_Product $product ): bool {
		return $product instanceof \WC_Product_Variation && in_array( '', $product->get_variation_attributes(), true );
	}

	/**
	 * The title. WooCommerce leaves long or many attributes out of the title of a variation.
	 *
	 * @param \WC_Product $product Product or variation.
	 */
	private static function title( \WC_Product $product ): string {
		$title = $product->get_name();
		if ( ! $product instanceof \WC_Product_Variation ) {
			return $title;
		}
		$choice = wc_get_formatted_variation( $product, true, false );
		return '' === $choice || str_ends_with( $title, $choice ) ? $title : $title . ' - ' . $choice;
	}

	/**
	 * The description: the short one where there is one.
	 *
	 * @param \WC_Product $product Product or variation.
	 */
	private static function description( \WC_Product $product ): string {
		$texts  = array( $product->get_short_description(), $product->get_description() );
		$parent = $product->is_type( 'variation' ) ? wc_get_product( $product->get_parent_id() ) : null;
		if ( $parent instanceof \WC_Product ) {
			array_push( $texts, $parent->get_short_description(), $parent->get_description() );
		}
		foreach ( $texts as $text ) {
			if ( '' !== trim( $text ) ) {
				return $text;
			}
		}
		return '';
	}

	/**
	 * Whether it can be ordered now.
	 *
	 * @param \WC_Product $product Product or variation.
	 */
	private static function availability( \WC_Product $product ): string {
		if ( ! $product->is_in_stock() ) {
			return 'out_of_stock';
		}
		return $product->is_on_backorder( 1 ) ? 'backorder' : 'in_stock';
	}

	/**
	 * How many can be sold; null if the shop does not count, or sells more than it has.
	 *
	 * @param \WC_Product $product Product or variation.
	 */
	private static function quantity( \WC_Product $product ): ?int {
		if ( ! $product->managing_stock() || $product->backorders_allowed() ) {
			return null;
		}
		return max( 0, (int) floor( (float) $product->get_stock_quantity() ) );
	}
}
