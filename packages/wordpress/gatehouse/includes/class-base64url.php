<?php
/**
 * Base64url without padding (RFC 4648 section 5).
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * Keys, hashes and signatures are written this way.
 */
final class Base64url {
	/**
	 * Writes bytes as text.
	 *
	 * @param string $bytes Any bytes.
	 */
	public static function encode( string $bytes ): string {
		// phpcs:ignore WordPress.PHP.DiscouragedPHPFunctions.obfuscation_base64_encode -- the format of keys and hashes.
		return rtrim( strtr( base64_encode( $bytes ), '+/', '-_' ), '=' );
	}

	/**
	 * Reads text; null unless it is exactly how these bytes are written.
	 *
	 * @param mixed $text What a stranger sent.
	 */
	public static function decode( mixed $text ): ?string {
		if ( ! is_string( $text ) ) {
			return null;
		}
		// phpcs:ignore WordPress.PHP.DiscouragedPHPFunctions.obfuscation_base64_decode -- the format of keys and hashes.
		$bytes = base64_decode( strtr( $text, '-_', '+/' ), true );
		return false !== $bytes && self::encode( $bytes ) === $text ? $bytes : null;
	}
}
