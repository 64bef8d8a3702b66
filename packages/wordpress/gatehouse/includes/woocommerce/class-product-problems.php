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
	 * Variations that a sentence names.
	 */
	private const NAMED_MAX = 10;

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
	 * Names the variations that are left out because they accept any value of an attribute; empty if there are none.
	 */
	public static function left_out(): string {
		global $wpdb;
		// phpcs:ignore WordPress.DB.DirectDatabaseQuery -- only on pages that show problems, and limited.
		$ids   = $wpdb->get_col( $wpdb->prepare( "SELECT DISTINCT v.ID FROM $wpdb->posts v JOIN $wpdb->posts p ON p.ID = v.post_parent AND p.post_status = 'publish' JOIN $wpdb->postmeta m ON m.post_id = v.ID AND m.meta_key LIKE %s AND m.meta_value = '' WHERE v.post_type = 'product_variation' AND v.post_status = 'publish' ORDER BY v.ID LIMIT %d", 'attribute\_%', self::KEPT_MAX ) );
		$any   = array_filter( array_map( 'wc_get_product', $ids ), static fn( mixed $one ): bool => $one instanceof \WC_Product && Product_Entry::is_for_any( $one ) );
		$names = array_map( static fn( \WC_Product $one ): string => wp_strip_all_tags( $one->get_name() ) . ' (#' . $one->get_id() . ')', array_slice( $any, 0, self::NAMED_MAX ) );
		if ( array() === $names ) {
			return '';
		}
		$list = implode( ', ', $names ) . ( count( $any ) > self::NAMED_MAX ? ', …' : '' );
		/* translators: 1: number of variations, 2: their names */
		return sprintf( _n( '%1$d variation is not offered to agents, because it accepts any value of an attribute, such as any size: %2$s. Create one variation for each value.', '%1$d variations are not offered to agents, because they accept any value of an attribute, such as any size: %2$s. Create one variation for each value.', count( $any ), 'gatehouse' ), count( $any ), $list );
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
