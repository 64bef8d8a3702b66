<?php
/**
 * Signatures of messages between Gatehouse and the shop.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * HMAC-SHA256 with the secret of the connection, as in Standard Webhooks.
 */
final class Message_Signature {
	private const SECRET_PREFIX    = 'whsec_';
	private const SECRET_BYTES_MIN = 24;
	private const VERSION          = 'v1,';
	/**
	 * How old or how far ahead a message may be.
	 */
	private const AGE_S_MAX = 5 * MINUTE_IN_SECONDS;
	/**
	 * A sender signs with two secrets while it replaces one.
	 */
	private const SIGNATURES_MAX = 10;

	/**
	 * Whether a secret can be used.
	 *
	 * @param string $secret Secret of a connection.
	 */
	public static function is_secret( string $secret ): bool {
		return null !== self::key_of( $secret );
	}

	/**
	 * The headers of a signed message.
	 *
	 * @param string $secret Secret of the connection.
	 * @param string $id     Id of the message; an answer has that of its request.
	 * @param string $body   The bytes that are sent.
	 * @return array<string, string>
	 */
	public static function headers( string $secret, string $id, string $body ): array {
		$timestamp = (string) time();
		return array(
			'content-type'      => 'application/json',
			'webhook-id'        => $id,
			'webhook-timestamp' => $timestamp,
			'webhook-signature' => self::VERSION . self::mac( $secret, $id, $timestamp, $body ),
		);
	}

	/**
	 * Whether a message or an answer was signed with the secret, not long ago.
	 *
	 * @param string                $secret  Secret of the connection.
	 * @param array<string, string> $headers Headers by their names in lower case.
	 * @param string                $body    The bytes that came.
	 */
	public static function verify( string $secret, array $headers, string $body ): bool {
		$id        = $headers['webhook-id'] ?? '';
		$timestamp = $headers['webhook-timestamp'] ?? '';
		if ( ! self::is_secret( $secret ) || '' === $id || 1 !== preg_match( '/^\d{1,12}$/D', $timestamp ) ) {
			return false;
		}
		$expected = self::VERSION . self::mac( $secret, $id, $timestamp, $body );
		foreach ( array_slice( explode( ' ', $headers['webhook-signature'] ?? '' ), 0, self::SIGNATURES_MAX ) as $signature ) {
			if ( hash_equals( $expected, $signature ) ) {
				return abs( time() - (int) $timestamp ) <= self::AGE_S_MAX;
			}
		}
		return false;
	}

	/**
	 * The signature without its version.
	 *
	 * @param string $secret    Secret of the connection.
	 * @param string $id        Id of the message.
	 * @param string $timestamp Seconds.
	 * @param string $body      The bytes of the message.
	 */
	private static function mac( string $secret, string $id, string $timestamp, string $body ): string {
		// phpcs:ignore WordPress.PHP.DiscouragedPHPFunctions.obfuscation_base64_encode -- the format of the signature.
		return base64_encode( hash_hmac( 'sha256', "$id.$timestamp.$body", (string) self::key_of( $secret ), true ) );
	}

	/**
	 * The bytes of a secret; null if it is none.
	 *
	 * @param string $secret Secret of a connection.
	 */
	private static function key_of( string $secret ): ?string {
		if ( ! str_starts_with( $secret, self::SECRET_PREFIX ) ) {
			return null;
		}
		// phpcs:ignore WordPress.PHP.DiscouragedPHPFunctions.obfuscation_base64_decode -- the format of the secret.
		$key = base64_decode( substr( $secret, strlen( self::SECRET_PREFIX ) ), true );
		return false !== $key && strlen( $key ) >= self::SECRET_BYTES_MIN ? $key : null;
	}
}
