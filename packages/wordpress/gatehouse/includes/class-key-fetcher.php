<?php
/**
 * Fetches key directories from addresses that strangers name.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * Asks only public addresses: https, port 443, no redirects. The name is resolved first, and the request goes
 * to the address that was checked.
 */
final class Key_Fetcher {
	private const SECONDS_MAX = 3;
	private const BYTES_MAX   = 65_536;
	private const TYPES       = '~^application/(?:http-message-signatures-directory\+json|jwk-set\+json|json)\s*(?:;|$)~i';

	/**
	 * Whether an address may be asked at all, by its name alone.
	 *
	 * @param string $source Address of a directory.
	 */
	public static function may_fetch( string $source ): bool {
		if ( self::is_allowed( $source ) ) {
			return true;
		}
		$parts = wp_parse_url( $source );
		$host  = (string) ( $parts['host'] ?? '' );
		return 'https' === ( $parts['scheme'] ?? '' ) && ! isset( $parts['port'] )
			&& str_contains( $host, '.' ) && 1 !== preg_match( '/[\d\]]$/D', $host );
	}

	/**
	 * Fetches a directory; null if there was no whole answer with 200.
	 *
	 * @param string $source Its address.
	 * @return array{body: string, cache_control: string}|null
	 */
	public static function fetch( string $source ): ?array {
		$host = (string) wp_parse_url( $source, PHP_URL_HOST );
		// Without curl the request could not be bound to the address that was checked.
		if ( ! self::may_fetch( $source ) || ! function_exists( 'curl_init' ) ) {
			return null;
		}
		$address = self::is_allowed( $source ) ? '' : self::public_address( $host );
		if ( null === $address ) {
			return null;
		}
		$pin = static function ( $handle, $request, $url ) use ( $source, $host, $address ): void {
			if ( $url === $source && '' !== $address ) {
				// phpcs:ignore WordPress.WP.AlternativeFunctions.curl_curl_setopt -- the handle is WordPress's own.
				curl_setopt( $handle, CURLOPT_RESOLVE, array( $host . ':443:' . $address ) );
			}
		};
		add_action( 'http_api_curl', $pin, PHP_INT_MAX, 3 );
		$answer = Packed_Answer::request(
			$source,
			array(
				'timeout'             => self::SECONDS_MAX,
				'redirection'         => 0,
				'limit_response_size' => self::BYTES_MAX + 1,
				'user-agent'          => 'Gatehouse-WordPress/' . Plugin::VERSION,
				'headers'             => array( 'Accept' => 'application/http-message-signatures-directory+json, application/json' ),
			)
		);
		remove_action( 'http_api_curl', $pin, PHP_INT_MAX );
		$body = wp_remote_retrieve_body( $answer );
		$type = (string) wp_remote_retrieve_header( $answer, 'content-type' );
		$good = 200 === (int) wp_remote_retrieve_response_code( $answer ) && 1 === preg_match( self::TYPES, $type );
		if ( ! $good || strlen( $body ) > self::BYTES_MAX ) {
			return null;
		}
		return array(
			'body'          => $body,
			'cache_control' => (string) wp_remote_retrieve_header( $answer, 'cache-control' ),
		);
	}

	/**
	 * An address of a host, if all of its addresses are public; null otherwise.
	 *
	 * @param string $host Name of a host.
	 */
	private static function public_address( string $host ): ?string {
		$addresses = gethostbynamel( $host );
		if ( false === $addresses || array() === $addresses ) {
			return null;
		}
		foreach ( $addresses as $address ) {
			if ( ! Public_Address::is_public( $address ) ) {
				return null;
			}
		}
		return $addresses[0];
	}

	/**
	 * Whether a developer allows a host that is not public, by the filter `gatehouse_key_hosts`.
	 *
	 * @param string $source Address of a directory.
	 */
	private static function is_allowed( string $source ): bool {
		/**
		 * Hosts with their ports, such as `localhost:8443`, whose keys are fetched although they are not
		 * public. For development only.
		 *
		 * @param string[] $hosts None by default.
		 */
		$hosts = (array) apply_filters( 'gatehouse_key_hosts', array() );
		$parts = wp_parse_url( $source );
		$port  = isset( $parts['port'] ) ? ':' . $parts['port'] : '';
		return array() !== $hosts && 'https' === ( $parts['scheme'] ?? '' ) && in_array( ( $parts['host'] ?? '' ) . $port, $hosts, true );
	}
}
