<?php
/**
 * What helps agents to recognize a product.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

defined( 'ABSPATH' ) || exit;

/**
 * Reads SKU, brand, GTIN, category, more pictures and the attributes of variations. What Gatehouse would refuse is left out,
 * so that a wrong number does not keep the product from agents.
 */
final class Product_Details {
	private const BRAND_TAXONOMY     = 'product_brand';
	private const CATEGORY_TAXONOMY  = 'product_cat';
	private const BRAND_CHARS_MAX    = 100;
	private const SKU_CHARS_MAX      = 100;
	private const CATEGORY_CHARS_MAX = 750;
	private const IMAGES_MAX         = 10;
	private const OPTIONS_MAX        = 10;
	private const OPTION_NAME_CHARS  = 50;
	private const OPTION_VALUE_CHARS = 100;
	private const IMAGE_SIZE         = 'large';

	/**
	 * The details that a product has.
	 *
	 * @param \WC_Product $product Product or variation.
	 * @return array<string, mixed>
	 */
	public static function of( \WC_Product $product ): array {
		$parent = $product instanceof \WC_Product_Variation ? wc_get_product( $product->get_parent_id() ) : $product;
		if ( ! $parent instanceof \WC_Product ) {
			return array();
		}
		return array(
			'brand'                 => self::brand( $parent ),
			'gtin'                  => self::gtin( $product ),
			'sku'                   => self::sku( $product ),
			'category'              => self::category( $parent ),
			'additional_image_urls' => self::images( $parent ),
			'item_group_id'         => $product === $parent ? null : (string) $parent->get_id(),
			'options'               => $product instanceof \WC_Product_Variation ? self::options( $product ) : null,
		);
	}

	/**
	 * The terms of a product; none if the shop has no such taxonomy.
	 *
	 * @param \WC_Product $product  The product.
	 * @param string      $taxonomy Name of the taxonomy.
	 * @return \WP_Term[]
	 */
	private static function terms( \WC_Product $product, string $taxonomy ): array {
		$terms = taxonomy_exists( $taxonomy ) ? get_the_terms( $product->get_id(), $taxonomy ) : false;
		return is_array( $terms ) ? $terms : array();
	}

	/**
	 * The brand: WooCommerce has brands since version 9.6.
	 *
	 * @param \WC_Product $product The product, or the parent of a variation.
	 */
	private static function brand( \WC_Product $product ): ?string {
		$terms = self::terms( $product, self::BRAND_TAXONOMY );
		return array() === $terms ? null : Product_Text::plain( $terms[0]->name, self::BRAND_CHARS_MAX );
	}

	/**
	 * The GTIN: WooCommerce has a field for it since version 9.2, and does not check what is in it.
	 *
	 * @param \WC_Product $product Product or variation.
	 */
	private static function gtin( \WC_Product $product ): ?string {
		if ( ! method_exists( $product, 'get_global_unique_id' ) ) {
			return null;
		}
		$digits = (string) preg_replace( '/[\s-]/', '', (string) $product->get_global_unique_id() );
		return 1 === preg_match( '/^(?:\d{8}|\d{12,14})$/', $digits ) && self::has_check_digit( $digits ) ? $digits : null;
	}

	/**
	 * The SKU. A variation without one has the SKU of its parent. A part of a SKU would be another one.
	 *
	 * @param \WC_Product $product Product or variation.
	 */
	private static function sku( \WC_Product $product ): ?string {
		$sku = Product_Text::plain( (string) $product->get_sku(), self::SKU_CHARS_MAX + 1 );
		return mb_strlen( $sku ) > self::SKU_CHARS_MAX ? null : $sku;
	}

	/**
	 * Whether the last digit is the check digit of GS1: from the right, digits count 1, 3, 1, 3 and so on.
	 *
	 * @param string $digits The digits.
	 */
	private static function has_check_digit( string $digits ): bool {
		$sum = 0;
		foreach ( array_reverse( str_split( $digits ) ) as $place => $digit ) {
			$sum += (int) $digit * ( 0 === $place % 2 ? 1 : 3 );
		}
		return 0 === $sum % 10;
	}

	/**
	 * The deepest category, with those that it is in: “Garden > Flowers”.
	 *
	 * @param \WC_Product $product The product, or the parent of a variation.
	 */
	private static function category( \WC_Product $product ): ?string {
		$deepest = array();
		foreach ( self::terms( $product, self::CATEGORY_TAXONOMY ) as $term ) {
			// “Uncategorized” says nothing.
			if ( (int) get_option( 'default_product_cat' ) === $term->term_id ) {
				continue;
			}
			$path = array( ...array_reverse( get_ancestors( $term->term_id, self::CATEGORY_TAXONOMY, 'taxonomy' ) ), $term->term_id );
			if ( count( $path ) > count( $deepest ) ) {
				$deepest = $path;
			}
		}
		$names = array();
		foreach ( $deepest as $id ) {
			$term = get_term( $id, self::CATEGORY_TAXONOMY );
			$name = $term instanceof \WP_Term ? Product_Text::plain( $term->name, self::CATEGORY_CHARS_MAX ) : '';
			// The sign that separates categories.
			$name = trim( (string) preg_replace( '/\s*>\s*/', ' ', $name ) );
			if ( '' !== $name ) {
				$names[] = $name;
			}
		}
		$path = implode( ' > ', $names );
		return '' === $path || mb_strlen( $path ) > self::CATEGORY_CHARS_MAX ? null : $path;
	}

	/**
	 * The pictures of the gallery.
	 *
	 * @param \WC_Product $product The product, or the parent of a variation.
	 * @return string[]|null
	 */
	private static function images( \WC_Product $product ): ?array {
		$urls = array();
		foreach ( array_slice( $product->get_gallery_image_ids(), 0, self::IMAGES_MAX ) as $id ) {
			$url = Product_Text::address( wp_get_attachment_image_url( (int) $id, self::IMAGE_SIZE ) );
			if ( null !== $url ) {
				$urls[] = $url;
			}
		}
		return array() === $urls ? null : $urls;
	}

	/**
	 * What distinguishes a variation: the names of its attributes, and their values in words.
	 *
	 * @param \WC_Product_Variation $variation The variation.
	 * @return array<string, string>|null
	 */
	private static function options( \WC_Product_Variation $variation ): ?array {
		$options = array();
		foreach ( array_slice( array_keys( $variation->get_attributes() ), 0, self::OPTIONS_MAX ) as $slug ) {
			$name  = str_replace( array( ':', ';' ), ' ', wc_attribute_label( (string) $slug, $variation ) );
			$name  = Product_Text::plain( $name, self::OPTION_NAME_CHARS );
			$value = str_replace( ';', ',', $variation->get_attribute( (string) $slug ) );
			$value = Product_Text::plain( $value, self::OPTION_VALUE_CHARS );
			if ( '' !== $name && '' !== $value ) {
				$options[ $name ] = $value;
			}
		}
		return array() === $options ? null : $options;
	}
}
