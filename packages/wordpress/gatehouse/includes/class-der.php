<?php
/**
 * The few forms of DER that keys and signatures need.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * Writes DER, which is what OpenSSL reads.
 */
final class Der {
	/**
	 * A sequence of values.
	 *
	 * @param string $values Written values.
	 */
	public static function sequence( string $values ): string {
		return "\x30" . self::length( $values ) . $values;
	}

	/**
	 * A number that is not negative.
	 *
	 * @param string $bytes Big-endian.
	 */
	public static function integer( string $bytes ): string {
		$bytes = ltrim( $bytes, "\x00" );
		if ( '' === $bytes || ord( $bytes[0] ) >= 0x80 ) {
			$bytes = "\x00" . $bytes;
		}
		return "\x02" . self::length( $bytes ) . $bytes;
	}

	/**
	 * A string of bits.
	 *
	 * @param string $bytes Whole bytes.
	 */
	public static function bits( string $bytes ): string {
		return "\x03" . self::length( "\x00" . $bytes ) . "\x00" . $bytes;
	}

	/**
	 * A public key as OpenSSL reads it.
	 *
	 * @param string $der Its SubjectPublicKeyInfo.
	 */
	public static function pem( string $der ): string {
		// phpcs:ignore WordPress.PHP.DiscouragedPHPFunctions.obfuscation_base64_encode -- the format of PEM.
		return "-----BEGIN PUBLIC KEY-----\n" . chunk_split( base64_encode( $der ), 64, "\n" ) . "-----END PUBLIC KEY-----\n";
	}

	/**
	 * How long a value is.
	 *
	 * @param string $value The value.
	 */
	private static function length( string $value ): string {
		$length = strlen( $value );
		if ( $length < 0x80 ) {
			return chr( $length );
		}
		$bytes = ltrim( pack( 'N', $length ), "\x00" );
		return chr( 0x80 | strlen( $bytes ) ) . $bytes;
	}
}
