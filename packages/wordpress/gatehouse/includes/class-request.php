<?php
/**
 * The request as its sender meant it.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * Reads the request from PHP's variables, to which WordPress has added slashes.
 */
final class Request {
	private const HOST           = '/^[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d{1,5})?$/D';
	private const HOST_CHARS_MAX = 259;

	/**
	 * The method, such as `GET`.
	 */
	public static function method(): string {
		$method = self::variable( 'REQUEST_METHOD' );
		return '' === $method ? 'GET' : $method;
	}

	/**
	 * Path and query as they came.
	 */
	public static function target(): string {
		$target = self::variable( 'REQUEST_URI' );
		// A whole address is allowed too (RFC 9112 section 3.2).
		if ( 1 === preg_match( '~^https?://[^/?#]*([^#]*)~i', $target, $parts ) ) {
			$target = $parts[1];
		}
		return str_starts_with( $target, '/' ) ? $target : '/' . $target;
	}

	/**
	 * Path as it came, without the query.
	 */
	public static function path(): string {
		return explode( '?', self::target(), 2 )[0];
	}

	/**
	 * A header; empty if it was not sent.
	 *
	 * @param string $name In lower case.
	 */
	public static function header( string $name ): string {
		$key = strtoupper( str_replace( '-', '_', $name ) );
		// PHP keeps these two without the prefix.
		return self::variable( in_array( $name, array( 'content-type', 'content-length' ), true ) ? $key : 'HTTP_' . $key );
	}

	/**
	 * Whether a header was sent.
	 *
	 * @param string $name In lower case.
	 */
	public static function has_header( string $name ): bool {
		return '' !== self::header( $name );
	}

	/**
	 * Address that the client asked for. A proxy may have changed the scheme, so it is the site's own; the
	 * host is the site's too, unless the request names one below it.
	 */
	public static function url(): string {
		$home   = wp_parse_url( home_url() );
		$scheme = $home['scheme'] ?? 'https';
		$port   = isset( $home['port'] ) ? ':' . $home['port'] : '';
		$site   = strtolower( $home['host'] ?? '' ) . $port;
		$sent   = strtolower( self::header( 'host' ) );
		$below  = strlen( $sent ) <= self::HOST_CHARS_MAX && 1 === preg_match( self::HOST, $sent ) && str_ends_with( $sent, '.' . $site );
		return $scheme . '://' . ( $below ? $sent : $site ) . self::target();
	}

	/**
	 * A variable of the server, without WordPress's slashes.
	 *
	 * @param string $name Name of the variable.
	 */
	private static function variable( string $name ): string {
		// phpcs:ignore WordPress.Security.ValidatedSanitizedInput.InputNotSanitized -- compared or verified byte by byte.
		$value = isset( $_SERVER[ $name ] ) ? wp_unslash( $_SERVER[ $name ] ) : '';
		return is_string( $value ) ? $value : '';
	}
}
