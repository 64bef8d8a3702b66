<?php
/**
 * How each document is told from anything else, and when it expires.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * Reads documents of Gatehouse as far as this site has to know them.
 */
final class Document_Check {
	/**
	 * A member that only this JSON document has.
	 */
	private const MEMBERS = array(
		'card'       => 'signing',
		'catalog'    => 'entries',
		'ard'        => 'entries',
		'did'        => 'verificationMethod',
		'acp'        => 'protocol',
		'ucpProfile' => 'ucp',
	);
	private const CARD    = '~<script type="application/ld\+json" id="agent-card">([^<]*)</script>\n?~';

	/**
	 * Whether a text is a document of this kind.
	 *
	 * @param string $kind Name of the document.
	 * @param string $text Body of an answer.
	 */
	public static function holds( string $kind, string $text ): bool {
		if ( 'agentPage' === $kind ) {
			return 1 === preg_match( '/^<!doctype html>/i', $text ) && str_contains( $text, 'application/ld+json' );
		}
		$member = self::MEMBERS[ $kind ] ?? null;
		if ( null === $member ) {
			return str_starts_with( $text, '# ' );
		}
		$value = json_decode( $text );
		return is_object( $value ) && property_exists( $value, $member );
	}

	/**
	 * Whether a document says that it should not be on the site now. A shop that offers nothing has a
	 * profile at Gatehouse, and none on its own domain.
	 *
	 * @param string $kind Name of the document.
	 * @param string $text The document.
	 */
	public static function is_withheld( string $kind, string $text ): bool {
		if ( 'ucpProfile' !== $kind ) {
			return false;
		}
		$profile = json_decode( $text, true );
		return empty( $profile['ucp']['capabilities'] );
	}

	/**
	 * When its signature expires, in seconds; null if nothing in it expires, false if the time is missing.
	 *
	 * @param string $kind Name of the document.
	 * @param string $text The document.
	 */
	public static function expiry( string $kind, string $text ): int|false|null {
		switch ( $kind ) {
			case 'card':
				return self::card_expiry( $text );
			case 'agentPage':
				return 1 === preg_match( self::CARD, $text, $found ) ? self::card_expiry( $found[1] ) : false;
			case 'catalog':
			case 'ard':
				return self::catalog_expiry( $text );
			default:
				return null;
		}
	}

	/**
	 * What may be served after the expiry; null where nothing may. What people read of the agent page
	 * does not expire.
	 *
	 * @param string $kind Name of the document.
	 * @param string $text The document.
	 */
	public static function after_expiry( string $kind, string $text ): ?string {
		return 'agentPage' === $kind ? preg_replace( self::CARD, '', $text, 1 ) : null;
	}

	/**
	 * When a card expires.
	 *
	 * @param string $text The card.
	 */
	private static function card_expiry( string $text ): int|false {
		$card = json_decode( $text, true );
		$time = $card['signing']['expires_at'] ?? null;
		return is_string( $time ) ? strtotime( $time ) : false;
	}

	/**
	 * When a catalog expires: `exp` in the header of its manifest's JWS.
	 *
	 * @param string $text The catalog.
	 */
	private static function catalog_expiry( string $text ): int|false {
		$catalog   = json_decode( $text, true );
		$signature = $catalog['trustManifest']['signature'] ?? $catalog['host']['trustManifest']['signature'] ?? null;
		$header    = is_string( $signature ) ? Base64url::decode( explode( '.', $signature )[0] ) : null;
		$expiry    = null === $header ? null : ( json_decode( $header, true )['exp'] ?? null );
		return is_int( $expiry ) ? $expiry : false;
	}
}
