<?php
/**
 * Texts without HTML.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

defined( 'ABSPATH' ) || exit;

/**
 * WooCommerce stores titles as HTML.
 */
final class Plain_Text {
	/**
	 * The text that a browser would show.
	 *
	 * @param string $html A title.
	 */
	public static function of( string $html ): string {
		return trim( html_entity_decode( wp_strip_all_tags( $html, true ), ENT_QUOTES, 'UTF-8' ) );
	}
}
