<?php
/**
 * The header `Signature-Agent`.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * Where a signed request says its keys are.
 */
final class Signature_Agent {
	private const HEADER_CHARS_MAX = 4096;
	private const MEMBERS_MAX      = 8;
	private const URL_CHARS_MAX    = 2048;
	private const DIRECTORY_PATH   = '/.well-known/http-message-signatures-directory';
	private const TYPES            = array( 'directory', 'jwks_uri', 'cimd' );
	/**
	 * Scheme, name or address of a host, port, path, and what follows. Nothing else is sent on: Gatehouse
	 * would refuse a whole report for one address that is none.
	 */
	private const ADDRESS = '~^https://((?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)*[a-z0-9](?:[a-z0-9-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::(\d{1,5}))?(/[^?#\x00-\x20"<>\\\\^`{|}\x7f-\xff]*)?([?#].*)?$~iD';

	/**
	 * Use read().
	 *
	 * @param string|null $label Label in the dictionary; null for the older form, which is one string.
	 * @param string      $uri   Address as it was written.
	 * @param string      $type  How the keys are published.
	 */
	private function __construct(
		public readonly ?string $label,
		public readonly string $uri,
		public readonly string $type,
	) {}

	/**
	 * Reads the header in either of its forms. Members of an unknown type are left out.
	 *
	 * @param string $header Value of the header.
	 * @return self[]|null Null if it has neither form.
	 */
	public static function read( string $header ): ?array {
		if ( strlen( $header ) > self::HEADER_CHARS_MAX ) {
			return null;
		}
		$fields = new Structured_Fields( $header );
		try {
			if ( str_starts_with( ltrim( $header, ' ' ), '"' ) ) {
				[ $type, $uri ] = $fields->item()['value'];
				return 'string' === $type ? array( new self( null, $uri, 'directory' ) ) : null;
			}
			$members = $fields->dictionary();
		} catch ( Malformed_Field ) {
			return null;
		}
		$agents = array();
		foreach ( $members as $label => $member ) {
			[ $type, $uri ] = $member['value'] ?? array( 'list', null );
			if ( 'string' !== $type ) {
				return null;
			}
			$source = $member['parameters']['type'][1] ?? 'directory';
			if ( in_array( $source, self::TYPES, true ) ) {
				$agents[] = new self( (string) $label, $uri, $source );
			}
		}
		return count( $members ) <= self::MEMBERS_MAX ? $agents : null;
	}

	/**
	 * The address the keys are fetched from, which is also who the agent is; null if it is not valid.
	 */
	public function key_source(): ?string {
		if ( strlen( $this->uri ) > self::URL_CHARS_MAX || 1 !== preg_match( self::ADDRESS, $this->uri, $parts ) ) {
			return null;
		}
		$host = strtolower( $parts[1] );
		if ( ! self::is_host( $host ) || (int) ( $parts[2] ?? 0 ) > 65_535 ) {
			return null;
		}
		$port = '' === ( $parts[2] ?? '' ) || 443 === (int) $parts[2] ? '' : ':' . (int) $parts[2];
		$path = '' === ( $parts[3] ?? '' ) ? '/' : $parts[3];
		if ( 'directory' !== $this->type ) {
			return 'https://' . $host . $port . $path;
		}
		// A directory is named by its origin alone.
		return '/' === $path && '' === ( $parts[4] ?? '' ) ? 'https://' . $host . $port . self::DIRECTORY_PATH : null;
	}

	/**
	 * Whether every reader of addresses takes this for a host.
	 *
	 * @param string $host In lower case.
	 */
	private static function is_host( string $host ): bool {
		if ( str_starts_with( $host, '[' ) ) {
			return false !== filter_var( trim( $host, '[]' ), FILTER_VALIDATE_IP, FILTER_FLAG_IPV6 );
		}
		$last = substr( (string) strrchr( '.' . $host, '.' ), 1 );
		if ( 1 === preg_match( '/^(?:\d+|0x[0-9a-f]*)$/D', $last ) ) {
			return false !== filter_var( $host, FILTER_VALIDATE_IP, FILTER_FLAG_IPV4 );
		}
		if ( ! str_contains( '.' . $host, '.xn--' ) ) {
			return true;
		}
		return function_exists( 'idn_to_utf8' ) && false !== idn_to_utf8( $host, IDNA_DEFAULT, INTL_IDNA_VARIANT_UTS46 );
	}
}
