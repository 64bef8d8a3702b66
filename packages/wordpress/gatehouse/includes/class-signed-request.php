<?php
/**
 * A request whose signatures are checked.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * The request as it came: the address the client asked for, and the headers a signature may cover.
 */
final class Signed_Request {
	/**
	 * Describes a request.
	 *
	 * @param string   $method Such as `GET`.
	 * @param string   $url    Whole address.
	 * @param \Closure $find   Returns a header by its name in lower case, or an empty text.
	 */
	public function __construct(
		public readonly string $method,
		public readonly string $url,
		private readonly \Closure $find,
	) {}

	/**
	 * The request that PHP answers now.
	 */
	public static function current(): self {
		return new self( Request::method(), Request::url(), static fn( string $name ): string => Request::header( $name ) );
	}

	/**
	 * A header; empty if it was not sent.
	 *
	 * @param string $name In lower case.
	 */
	public function header( string $name ): string {
		return trim( ( $this->find )( $name ), " \t" );
	}

	/**
	 * The value of a component that is not a header (RFC 9421 section 2.2).
	 *
	 * @param string $name Such as `@authority`.
	 * @throws Unproven If there is no such component in a request.
	 */
	public function derived( string $name ): string {
		preg_match( '~^(https?)://([^/?#]*)([^?#]*)(\?[^#]*)?~', $this->url, $parts );
		[ , $scheme, $host, $path ] = $parts;
		$default_port               = 'https' === $scheme ? ':443' : ':80';
		return match ( $name ) {
			'@method' => $this->method,
			'@target-uri' => $this->url,
			'@authority' => str_ends_with( $host, $default_port ) ? substr( $host, 0, -strlen( $default_port ) ) : $host,
			'@scheme' => $scheme,
			'@path' => '' === $path ? '/' : $path,
			'@query' => $parts[4] ?? '?',
			'@status' => throw new Unproven( 'invalid', 'invalid_component' ),
			default => throw new Unproven( 'invalid', 'unsupported_feature' ),
		};
	}
}
