<?php
/**
 * RSASSA-PSS with SHA-512 (RFC 8017 section 8.1.2), which PHP's OpenSSL functions lack before PHP 8.5.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * Verifies RSA-PSS signatures. OpenSSL does the arithmetic; the padding is checked here.
 */
final class Rsa_Pss {
	private const HASH       = 'sha512';
	private const HASH_BYTES = 64;
	private const SALT_BYTES = 64;
	private const RSA_OID    = '300d06092a864886f70d0101010500';

	/**
	 * Whether a signature is valid.
	 *
	 * @param string $message   Bytes that were signed.
	 * @param string $signature Bytes of the signature.
	 * @param string $modulus   Of the key.
	 * @param string $exponent  Of the key.
	 */
	public static function verify( string $message, string $signature, string $modulus, string $exponent ): bool {
		$modulus = ltrim( $modulus, "\x00" );
		$numbers = Der::sequence( Der::integer( $modulus ) . Der::integer( $exponent ) );
		$key     = openssl_pkey_get_public( Der::pem( Der::sequence( hex2bin( self::RSA_OID ) . Der::bits( $numbers ) ) ) );
		if ( false === $key || '' === $modulus || strlen( $signature ) !== strlen( $modulus ) ) {
			return false;
		}
		if ( ! openssl_public_decrypt( $signature, $encoded, $key, OPENSSL_NO_PADDING ) ) {
			return false;
		}
		$modulus_bits = strlen( $modulus ) * 8 - self::leading_zero_bits( $modulus[0] );
		return self::is_encoding_of( $message, $encoded, $modulus_bits - 1 );
	}

	/**
	 * EMSA-PSS-VERIFY (RFC 8017 section 9.1.2).
	 *
	 * @param string $message Bytes that were signed.
	 * @param string $encoded Bytes that the key made of the signature.
	 * @param int    $bits    Length of the encoding.
	 */
	private static function is_encoding_of( string $message, string $encoded, int $bits ): bool {
		$length = intdiv( $bits + 7, 8 );
		if ( strlen( $encoded ) > $length ) {
			if ( "\x00" !== $encoded[0] ) {
				return false;
			}
			$encoded = substr( $encoded, 1 );
		}
		$masked_length = $length - self::HASH_BYTES - 1;
		if ( strlen( $encoded ) !== $length || $masked_length < self::SALT_BYTES + 1 || "\xbc" !== $encoded[ $length - 1 ] ) {
			return false;
		}
		$masked = substr( $encoded, 0, $masked_length );
		$digest = substr( $encoded, $masked_length, self::HASH_BYTES );
		$first  = 0xff >> ( 8 * $length - $bits );
		if ( 0 !== ( ord( $masked[0] ) & ~$first ) ) {
			return false;
		}
		$block    = $masked ^ self::mask( $digest, $masked_length );
		$block[0] = chr( ord( $block[0] ) & $first );
		$salt_at  = $masked_length - self::SALT_BYTES;
		if ( substr( $block, 0, $salt_at ) !== str_repeat( "\x00", $salt_at - 1 ) . "\x01" ) {
			return false;
		}
		$signed = str_repeat( "\x00", 8 ) . hash( self::HASH, $message, true ) . substr( $block, $salt_at );
		return hash_equals( $digest, hash( self::HASH, $signed, true ) );
	}

	/**
	 * MGF1 (RFC 8017 appendix B.2.1).
	 *
	 * @param string $seed   Bytes.
	 * @param int    $length Bytes to make.
	 */
	private static function mask( string $seed, int $length ): string {
		$mask   = '';
		$blocks = intdiv( $length + self::HASH_BYTES - 1, self::HASH_BYTES );
		for ( $counter = 0; $counter < $blocks; $counter++ ) {
			$mask .= hash( self::HASH, $seed . pack( 'N', $counter ), true );
		}
		return substr( $mask, 0, $length );
	}

	/**
	 * Bits before the first 1 in a byte.
	 *
	 * @param string $byte The byte.
	 */
	private static function leading_zero_bits( string $byte ): int {
		return 8 - strlen( decbin( ord( $byte ) ) );
	}
}
