<?php
/**
 * Proof that this site is connecting now.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * While this site connects, Gatehouse asks its endpoint for a secret text whose hash came with the code. So somebody
 * else who has seen the code cannot use it.
 */
final class Connect_Proof {
	public const OPTION = 'gatehouse_proof';

	private const LIFE_S = MINUTE_IN_SECONDS;

	/**
	 * Makes a secret text.
	 */
	public static function secret(): string {
		return Base64url::encode( random_bytes( 32 ) );
	}

	/**
	 * What others may see of a secret text.
	 *
	 * @param string $secret What secret() made.
	 */
	public static function challenge( string $secret ): string {
		return Base64url::encode( hash( 'sha256', $secret, true ) );
	}

	/**
	 * Begins to connect. Gatehouse asks while this request waits, so another request answers.
	 *
	 * @return string The challenge for Gatehouse.
	 */
	public static function begin(): string {
		$secret = self::secret();
		$kept   = array(
			'secret' => $secret,
			'until'  => time() + self::LIFE_S,
		);
		update_option( self::OPTION, $kept, false );
		return self::challenge( $secret );
	}

	/**
	 * The answer to a body that asks for the proof; null if it does not, or if this site is not connecting.
	 *
	 * @param string $body What was sent.
	 */
	public static function answer( string $body ): ?string {
		$kept = get_option( self::OPTION );
		if ( ! is_array( $kept ) || time() > (int) $kept['until'] ) {
			return null;
		}
		$message = json_decode( $body, true );
		$asked   = is_array( $message ) && 'proof' === ( $message['type'] ?? null ) ? $message['challenge'] ?? null : null;
		if ( ! is_string( $asked ) || ! hash_equals( self::challenge( (string) $kept['secret'] ), $asked ) ) {
			return null;
		}
		$answer = array(
			'type'  => 'proof.answer',
			'proof' => $kept['secret'],
		);
		return (string) wp_json_encode( $answer );
	}

	/**
	 * Ends it.
	 */
	public static function end(): void {
		delete_option( self::OPTION );
	}
}
