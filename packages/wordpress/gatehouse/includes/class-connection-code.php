<?php
/**
 * The code that connects this site.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * A code of the console, and the address of the Gatehouse that exchanges it.
 */
final class Connection_Code {
	private const PREFIX    = 'ghc_';
	private const CHARS_MAX = 2000;
	private const CODE      = '/^[\w.~-]{8,500}$/D';

	/**
	 * Use read() or of().
	 *
	 * @param string $gatehouse Address of Gatehouse, without a slash at its end.
	 * @param string $code      What Gatehouse exchanges for a connection.
	 * @param string $verifier  What this site kept when it asked for the code; empty for a code that was pasted.
	 */
	private function __construct(
		public readonly string $gatehouse,
		public readonly string $code,
		public readonly string $verifier,
	) {}

	/**
	 * Reads a code as the console shows it; null if it is none, or leads to an address that must not get it.
	 *
	 * @param string $text What somebody entered.
	 */
	public static function read( string $text ): ?self {
		$text = trim( $text );
		if ( ! str_starts_with( $text, self::PREFIX ) || strlen( $text ) > self::CHARS_MAX ) {
			return null;
		}
		$inner = json_decode( (string) Base64url::decode( substr( $text, strlen( self::PREFIX ) ) ), true );
		if ( ! is_string( $inner['url'] ?? null ) || ! is_string( $inner['code'] ?? null ) ) {
			return null;
		}
		return self::of( $inner['url'], $inner['code'] );
	}

	/**
	 * A code that the browser brought back; null if it is none.
	 *
	 * @param string $address  Address of the Gatehouse that gave it.
	 * @param string $code     The code.
	 * @param string $verifier What this site kept when it asked for the code.
	 */
	public static function of( string $address, string $code, string $verifier = '' ): ?self {
		$gatehouse = Settings::read_address( $address );
		return null !== $gatehouse && 1 === preg_match( self::CODE, $code ) ? new self( $gatehouse, $code, $verifier ) : null;
	}
}
