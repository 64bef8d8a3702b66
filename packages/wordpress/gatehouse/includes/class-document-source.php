<?php
/**
 * Fetches documents from Gatehouse.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * Renews the copies of documents.
 */
final class Document_Source {
	public const ABSENT = 'absent';

	private const FRESH_S_MIN = 5;
	private const FRESH_S_MAX = HOUR_IN_SECONDS;
	/**
	 * How long nobody asks again after Gatehouse failed, or had no such document.
	 */
	private const FAILED_S = 5;
	private const ABSENT_S = 10;
	/**
	 * Headers that describe the document, and not the connection it came over.
	 */
	private const PASSED_ON = array(
		'content-type',
		'cache-control',
		'etag',
		'vary',
		'link',
		'content-security-policy',
		'referrer-policy',
		'x-content-type-options',
		'access-control-allow-origin',
		'access-control-expose-headers',
	);

	/**
	 * Asks for a document and keeps the result. A failure keeps the copy there was; where Gatehouse has no
	 * such document, the copy goes.
	 *
	 * @param Document      $document Which document.
	 * @param Kept_Document $kept     The copy there is.
	 * @param Settings      $settings The connection.
	 * @param float         $seconds  How long to wait.
	 */
	public static function renew( Document $document, Kept_Document $kept, Settings $settings, float $seconds ): Kept_Document {
		// Others that come meanwhile get the old copy instead of waiting too.
		$kept->with( array( 'not_before' => time() + self::FAILED_S ) )->save();
		$answer  = Gatehouse_Client::get( $document->address( $settings ), $document->accept, $seconds );
		$changes = is_wp_error( $answer ) ? self::failure( $answer->get_error_message() ) : self::read( $document, $answer );
		$renewed = $kept->with( $changes );
		$renewed->save();
		return $renewed;
	}

	/**
	 * What an answer changes of the copy.
	 *
	 * @param Document             $document Which document.
	 * @param array<string, mixed> $answer   Answer of Gatehouse.
	 * @return array<string, mixed>
	 */
	private static function read( Document $document, array $answer ): array {
		$status = (int) wp_remote_retrieve_response_code( $answer );
		$text   = wp_remote_retrieve_body( $answer );
		if ( 404 === $status && self::says_absent( $text ) ) {
			return self::absence();
		}
		$type = (string) wp_remote_retrieve_header( $answer, 'content-type' );
		if ( 200 !== $status ) {
			/* translators: %d: HTTP status */
			return self::failure( sprintf( __( 'Gatehouse answered with an error (HTTP status %d).', 'gatehouse' ), $status ) );
		}
		$good = str_starts_with( $type, $document->accept ) && 1 === preg_match( '//u', $text ) && $document->holds( $text );
		if ( $good && Document_Check::is_withheld( $document->kind, $text ) ) {
			return self::absence();
		}
		$expires_at = $good ? $document->expiry( $text ) : false;
		if ( false === $expires_at ) {
			return self::failure( __( 'The answer is not a document of Gatehouse.', 'gatehouse' ) );
		}
		$headers = array();
		foreach ( self::PASSED_ON as $name ) {
			$value = wp_remote_retrieve_header( $answer, $name );
			if ( '' !== $value ) {
				$headers[ $name ] = implode( ', ', (array) $value );
			}
		}
		return array(
			'body'        => $text,
			'headers'     => $headers,
			'kept_at'     => time(),
			'fresh_until' => time() + self::fresh_seconds( $headers['cache-control'] ?? '' ),
			'expires_at'  => $expires_at,
			'not_before'  => 0,
			'problem'     => '',
		);
	}

	/**
	 * Whether a 404 is Gatehouse's own, for a site it does not speak for.
	 *
	 * @param string $text Body of the answer.
	 */
	private static function says_absent( string $text ): bool {
		$body = json_decode( $text, true );
		return is_array( $body ) && ( 'not_found' === ( $body['error'] ?? '' ) || 'pending_verification' === ( $body['status'] ?? '' ) );
	}

	/**
	 * What the copy becomes where Gatehouse has no such document: the site answers itself.
	 *
	 * @return array<string, mixed>
	 */
	private static function absence(): array {
		return array(
			'body'        => '',
			'headers'     => array(),
			'kept_at'     => time(),
			'fresh_until' => 0,
			'expires_at'  => null,
			'not_before'  => time() + self::ABSENT_S,
			'problem'     => self::ABSENT,
		);
	}

	/**
	 * What a failed attempt changes.
	 *
	 * @param string $problem Why it failed.
	 * @return array<string, mixed>
	 */
	private static function failure( string $problem ): array {
		return array(
			'not_before' => time() + self::FAILED_S,
			'problem'    => $problem,
		);
	}

	/**
	 * How long a copy is fresh.
	 *
	 * @param string $cache_control Header of the answer.
	 */
	private static function fresh_seconds( string $cache_control ): int {
		if ( 1 === preg_match( '/\bno-(?:store|cache)\b/i', $cache_control ) ) {
			return self::FRESH_S_MIN;
		}
		return Max_Age::seconds( $cache_control, self::FRESH_S_MIN, self::FRESH_S_MAX );
	}
}
