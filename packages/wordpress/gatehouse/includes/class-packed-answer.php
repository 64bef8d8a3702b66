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
 * unpacked it before, up to the limit of the answer, so it is not unpacked again.
 */
final class Packed_Answer {
	private const HOOK   = 'requests-requests.before_parse';
	private const HEADER = '/^content-encoding:[^\n]*\n?/mi';
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
