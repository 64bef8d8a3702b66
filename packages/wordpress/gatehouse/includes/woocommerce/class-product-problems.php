<?php
/**
 * Products that Gatehouse did not accept.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

defined( 'ABSPATH' ) || exit;

/**
 * Keeps the problems for the settings page, until a product is accepted.
 */
final class Product_Problems {
	public const OPTION      = 'gatehouse_product_problems';
	private const KEPT_MAX   = 50;
	private const LENGTH_MAX = 300;

	/**
	 * Notes what was said about products that were just sent.
	 *
	 * @param string[] $sent     Their ids.
	 * @param mixed    $problems What Gatehouse said about some of them.
	 */
	public static function update( array $sent, mixed $problems ): void {
		$before = self::all();
		$kept   = array_diff_key( $before, array_flip( $sent ) );
		foreach ( is_array( $problems ) ? $problems : array() as $one ) {
			$id   = is_array( $one ) ? ( $one['id'] ?? null ) : null;
			$text = is_array( $one ) ? ( $one['problem'] ?? null ) : null;
			if ( is_string( $id ) && is_string( $text ) && in_array( $id, $sent, true ) && count( $kept ) < self::KEPT_MAX ) {
				$kept[ $id ] = mb_substr( sanitize_text_field( $text ), 0, self::LENGTH_MAX );
			}
		}
		if ( $kept !== $before ) {
			update_option( self::OPTION, $kept, false );
		}
	}

	/**
	 * All problems by product.
	 *
	 * @return array<int, string>
	 */
	public static function all(): array {
		$kept = get_option( self::OPTION, array() );
		return is_array( $kept ) ? $kept : array();
	}
}
