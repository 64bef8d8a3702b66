<?php
/**
 * Answers that are compressed.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * Sends requests by WordPress's own client, which unpacks an answer without a limit: 64 KB can become 64 MB. curl has
 * unpacked it before, up to the limit of the answer, so it is not unpacked again. Without PHP's curl extension, only
 * answers of Gatehouse come this way, and WordPress's client unpacks them.
 */
final class Packed_Answer {
	/**
	 * Only the transport with curl has this action. The other one leaves the unpacking to WordPress's client.
	 */
	private const HOOK = 'requests-curl.after_request';
	/**
	 * With the line break before it: the last header has none after it.
	 */
	private const HEADER = '/\r?\ncontent-encoding:[^\r\n]*/i';
	/**
	 * Between the headers and the body.
	 */
	private const BLANK_LINE = "\r\n\r\n";

	/**
	 * Sends a request.
	 *
	 * @param string               $address   Whole address.
	 * @param array<string, mixed> $arguments As of wp_remote_request().
	 * @return array<string, mixed>|\WP_Error
	 */
	public static function request( string $address, array $arguments ): array|\WP_Error {
		add_action( self::HOOK, array( self::class, 'prevent_second_unpacking' ), PHP_INT_MAX, PHP_INT_MAX );
		try {
			return wp_remote_request( $address, $arguments );
		} finally {
			remove_action( self::HOOK, array( self::class, 'prevent_second_unpacking' ), PHP_INT_MAX );
		}
	}

	/**
	 * Removes the header that makes WordPress's client unpack the body.
	 *
	 * @param mixed $answer Headers and body as they came.
	 */
	public static function prevent_second_unpacking( mixed &$answer ): void {
		if ( is_string( $answer ) ) {
			$end    = strpos( $answer, self::BLANK_LINE );
			$end    = false === $end ? strlen( $answer ) : $end;
			$answer = preg_replace( self::HEADER, '', substr( $answer, 0, $end ) ) . substr( $answer, $end );
		}
	}
}
