<?php
/**
 * There and back: the owner agrees in the console, and the browser returns with a code.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * Remembers for each person which Gatehouse was asked, which state must come back, and the secret without which nobody
 * can use the code.
 */
final class Connect_Return {
	private const META    = 'gatehouse_connecting';
	private const LIFE_S  = HOUR_IN_SECONDS;
	private const CONSOLE = '/console/connect-shop';

	/**
	 * Address of the console's page where the owner agrees; null if the address of Gatehouse must not be used.
	 *
	 * @param string $address What the owner entered.
	 */
	public static function begin( string $address ): ?string {
		$gatehouse = Settings::read_address( str_contains( $address, '://' ) ? $address : 'https://' . $address );
		if ( null === $gatehouse ) {
			return null;
		}
		$state    = Base64url::encode( random_bytes( 32 ) );
		$verifier = Connect_Proof::secret();
		$asked    = array(
			'gatehouse' => $gatehouse,
			'state'     => $state,
			'verifier'  => $verifier,
			'until'     => time() + self::LIFE_S,
		);
		update_user_meta( get_current_user_id(), self::META, $asked );
		$query = array(
			'domain'    => self::domain(),
			'return'    => add_query_arg( 'gatehouse-return', '1', Settings_Page::address() ),
			'state'     => $state,
			'challenge' => Connect_Proof::challenge( $verifier ),
		);
		return $gatehouse . self::CONSOLE . '?' . http_build_query( $query, '', '&', PHP_QUERY_RFC3986 );
	}

	/**
	 * The code that the browser brought back; null unless this person has asked for it, within an hour and once.
	 *
	 * @param string $state State that came back.
	 * @param string $code  Code that came back.
	 */
	public static function finish( string $state, string $code ): ?Connection_Code {
		$asked = get_user_meta( get_current_user_id(), self::META, true );
		$known = is_array( $asked ) && is_string( $asked['state'] ?? null ) && hash_equals( $asked['state'], $state );
		if ( ! $known ) {
			return null;
		}
		delete_user_meta( get_current_user_id(), self::META );
		return time() <= (int) $asked['until'] ? Connection_Code::of( (string) $asked['gatehouse'], $code, (string) ( $asked['verifier'] ?? '' ) ) : null;
	}

	/**
	 * Removes what is remembered for everybody.
	 */
	public static function remove_all(): void {
		delete_metadata( 'user', 0, self::META, '', true );
	}

	/**
	 * The domain of this site, with its port where it has one.
	 */
	private static function domain(): string {
		$home = wp_parse_url( home_url() );
		return strtolower( (string) ( $home['host'] ?? '' ) ) . ( isset( $home['port'] ) ? ':' . $home['port'] : '' );
	}
}
