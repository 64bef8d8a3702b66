<?php
/**
 * Texts of products.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

defined( 'ABSPATH' ) || exit;

/**
 * Makes plain text of what owners write with HTML, so that Gatehouse accepts it.
 */
final class Product_Text {
	public const TITLE_CHARS_MAX       = 200;
	public const DESCRIPTION_CHARS_MAX = 5000;
	private const ADDRESS_CHARS_MAX    = 2048;
	/**
	 * Characters that are invisible or change how other text is displayed. Lines become spaces before.
	 */
	private const UNSEEN = '/[\p{Cc}\x{061C}\x{200E}\x{200F}\x{2028}-\x{202E}\x{2066}-\x{2069}\x{FEFF}]/u';

	/**
	 * Plain text in one line.
	 *
	 * @param string $html      What the owner wrote.
	 * @param int    $chars_max Longer text is cut.
	 */
	public static function plain( string $html, int $chars_max ): string {
		$html = strip_shortcodes( wp_check_invalid_utf8( $html, true ) );
		// Words of neighbouring blocks must not grow together.
		$spaced = (string) preg_replace( '/<(?:br|\/?(?:p|div|li|ul|ol|td|tr|h[1-6]))\b[^>]*>/i', ' ', $html );
		// Tags that were written as entities are text, and stay.
		$text = html_entity_decode( wp_strip_all_tags( $spaced ), ENT_QUOTES | ENT_HTML5, 'UTF-8' );
		$text = (string) preg_replace( '/[\s\x{00A0}\x{0085}]+/u', ' ', $text );
		$text = trim( (string) preg_replace( self::UNSEEN, '', $text ) );
		return trim( mb_substr( $text, 0, $chars_max ) );
	}

	/**
	 * An address with https; null for others, which Gatehouse does not accept.
	 *
	 * @param mixed $address Address, or false if there is none.
	 */
	public static function address( mixed $address ): ?string {
		$is_safe = is_string( $address ) && str_starts_with( $address, 'https://' ) && strlen( $address ) <= self::ADDRESS_CHARS_MAX;
		return $is_safe ? $address : null;
	}
}
