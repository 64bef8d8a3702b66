<?php
/**
 * A public key of an agent.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * Verifies signatures, with the algorithm that is the key's own and never the header's choice.
 */
final class Agent_Key {
	/**
	 * The algorithms that may sign a page request.
	 */
	public const ALGORITHMS = array( 'ed25519', 'rsa-pss-sha512', 'ecdsa-p256-sha256' );
	/**
	 * Smaller keys are weak; larger ones, or with a large exponent, make a verifier work for nothing.
	 */
	private const RSA_BYTES_MIN          = 256;
	private const RSA_BYTES_MAX          = 512;
	private const RSA_EXPONENT_BYTES_MAX = 4;
	private const EC_HEAD                = '3059301306072a8648ce3d020106082a8648ce3d03010703420004';

	/**
	 * Use read().
	 *
	 * @param string                $thumbprint Names the key (RFC 7638).
	 * @param string                $algorithm  Of RFC 9421.
	 * @param array<string, string> $jwk        Required members.
	 * @param string[]              $numbers    Bytes of the members that are numbers.
	 */
	private function __construct(
		public readonly string $thumbprint,
		public readonly string $algorithm,
		public readonly array $jwk,
		private readonly array $numbers,
	) {}

	/**
	 * Reads a key of a directory; null for kinds that sign no page request, and for keys that are too small.
	 *
	 * @param mixed $jwk JSON web key.
	 */
	public static function read( mixed $jwk ): ?self {
		if ( ! is_array( $jwk ) ) {
			return null;
		}
		$type = array( $jwk['kty'] ?? null, $jwk['crv'] ?? null );

		[ $algorithm, $fixed, $names ] = match ( true ) {
			array( 'OKP', 'Ed25519' ) === $type => array( 'ed25519', array( 'crv', 'kty' ), array( 'x' ) ),
			'RSA' === $type[0] => array( 'rsa-pss-sha512', array( 'kty' ), array( 'e', 'n' ) ),
			array( 'EC', 'P-256' ) === $type => array( 'ecdsa-p256-sha256', array( 'crv', 'kty' ), array( 'x', 'y' ) ),
			default => array( null, array(), array() ),
		};
		$numbers = array_map( static fn( string $name ): ?string => Base64url::decode( $jwk[ $name ] ?? null ), $names );
		if ( null === $algorithm || in_array( null, $numbers, true ) || ! self::has_right_sizes( $algorithm, $numbers ) ) {
			return null;
		}
		$required = array_intersect_key( $jwk, array_flip( array_merge( $fixed, $names ) ) );
		ksort( $required );
		$thumbprint = Base64url::encode( hash( 'sha256', (string) wp_json_encode( $required, JSON_UNESCAPED_SLASHES ), true ) );
		return new self( $thumbprint, $algorithm, $required, $numbers );
	}

	/**
	 * Whether the numbers of a key are as long as they should be.
	 *
	 * @param string   $algorithm Of the key.
	 * @param string[] $numbers   Bytes.
	 */
	private static function has_right_sizes( string $algorithm, array $numbers ): bool {
		$sizes = array_map( 'strlen', $numbers );
		if ( 'rsa-pss-sha512' !== $algorithm ) {
			return array_fill( 0, count( $sizes ), 32 ) === $sizes;
		}
		return $sizes[0] >= 1 && $sizes[0] <= self::RSA_EXPONENT_BYTES_MAX && $sizes[1] >= self::RSA_BYTES_MIN && $sizes[1] <= self::RSA_BYTES_MAX;
	}

	/**
	 * Whether the signature over the message is by this key.
	 *
	 * @param string $message   Bytes that were signed.
	 * @param string $signature Bytes of the signature.
	 */
	public function verify( string $message, string $signature ): bool {
		return match ( $this->algorithm ) {
			'ed25519' => SODIUM_CRYPTO_SIGN_BYTES === strlen( $signature ) && sodium_crypto_sign_verify_detached( $signature, $message, $this->numbers[0] ),
			'ecdsa-p256-sha256' => $this->verify_ec( $message, $signature ),
			default => Rsa_Pss::verify( $message, $signature, $this->numbers[1], $this->numbers[0] ),
		};
	}

	/**
	 * The same for ECDSA, whose signatures OpenSSL wants in DER.
	 *
	 * @param string $message   Bytes that were signed.
	 * @param string $signature Two numbers of 32 bytes.
	 */
	private function verify_ec( string $message, string $signature ): bool {
		if ( 64 !== strlen( $signature ) ) {
			return false;
		}
		$der = Der::sequence( Der::integer( substr( $signature, 0, 32 ) ) . Der::integer( substr( $signature, 32 ) ) );
		$key = openssl_pkey_get_public( Der::pem( hex2bin( self::EC_HEAD ) . implode( '', $this->numbers ) ) );
		return false !== $key && 1 === openssl_verify( $message, $der, $key, OPENSSL_ALGO_SHA256 );
	}
}
