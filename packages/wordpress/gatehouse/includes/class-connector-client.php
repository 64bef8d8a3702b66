<?php
/**
 * Messages of the shop to Gatehouse.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * Sends the messages of docs/guide/connector.md. An answer that says yes counts only with a valid signature.
 */
final class Connector_Client {
	/**
	 * What Gatehouse has to answer.
	 */
	public const MESSAGE_S = 10.0;
	/**
	 * Characters of a message of Gatehouse that a person is shown.
	 */
	private const WORDS_MAX = 300;

	/**
	 * Exchanges a code for a connection. There is no secret yet, so this is not signed.
	 *
	 * @param string               $gatehouse Address of Gatehouse.
	 * @param array<string, mixed> $message   The message `connect`.
	 * @return array<string, mixed>|\WP_Error The answer; the error says what to do.
	 */
	public static function connect( string $gatehouse, array $message ): array|\WP_Error {
		$headers = array( 'content-type' => 'application/json' );
		$answer  = Gatehouse_Client::exchange( $gatehouse . '/v1/connections', $headers, self::json( $message ), self::MESSAGE_S );
		if ( is_wp_error( $answer ) ) {
			return self::unreachable();
		}
		$status = (int) wp_remote_retrieve_response_code( $answer );
		$body   = json_decode( wp_remote_retrieve_body( $answer ), true );
		if ( 201 === $status && is_array( $body ) && 'connect.answer' === ( $body['type'] ?? null ) ) {
			return $body;
		}
		$words = self::words_of( $body );
		if ( '' !== $words && $status >= 400 && $status < 500 ) {
			/* translators: %s: message of Gatehouse */
			return new \WP_Error( 'gatehouse_refused', sprintf( __( 'Gatehouse refused the connection: %s', 'gatehouse' ), $words ) );
		}
		return new \WP_Error( 'gatehouse_unreachable', __( 'There is no Gatehouse at this address, or it does not answer. Check the address.', 'gatehouse' ) );
	}

	/**
	 * Sends a signed message.
	 *
	 * @param Settings             $settings The connection.
	 * @param string               $part     Part of the interface, such as `products`.
	 * @param array<string, mixed> $message  The message.
	 * @param string               $id       Id of the message; the same if it is sent again.
	 * @param float                $seconds  How long to wait.
	 * @return array<string, mixed>|\WP_Error The answer. The error has the HTTP status as data, or 0 if there is none.
	 */
	public static function send( Settings $settings, string $part, array $message, string $id, float $seconds = self::MESSAGE_S ): array|\WP_Error {
		$json    = self::json( $message );
		$headers = Message_Signature::headers( $settings->connection_secret(), $id, $json );
		$address = $settings->gatehouse . '/v1/connections/' . rawurlencode( $settings->connection_id ) . '/' . $part;
		$answer  = Gatehouse_Client::exchange( $address, $headers, $json, $seconds );
		if ( is_wp_error( $answer ) ) {
			return self::unreachable();
		}
		$status = (int) wp_remote_retrieve_response_code( $answer );
		$text   = wp_remote_retrieve_body( $answer );
		$body   = json_decode( $text, true );
		if ( 200 !== $status ) {
			return self::refused( $status, $body );
		}
		$type = is_array( $body ) ? ( $body['type'] ?? null ) : null;
		if ( $message['type'] . '.answer' === $type && self::is_signed( $settings, $id, $answer, $text ) ) {
			return $body;
		}
		return new \WP_Error( 'gatehouse_unsigned', __( 'The answer did not come from your Gatehouse. Something between your site and Gatehouse changes messages.', 'gatehouse' ), 0 );
	}

	/**
	 * An id for a message.
	 */
	public static function new_id(): string {
		return 'msg_' . bin2hex( random_bytes( 16 ) );
	}

	/**
	 * A message as it is sent. Text stays readable, so that more products fit into a message.
	 *
	 * @param array<string, mixed> $message Any message.
	 */
	public static function json( array $message ): string {
		return (string) wp_json_encode( $message, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE );
	}

	/**
	 * Whether an answer is by Gatehouse, and to this message.
	 *
	 * @param Settings             $settings The connection.
	 * @param string               $id       Id of the message.
	 * @param array<string, mixed> $answer   Answer of WordPress's client.
	 * @param string               $text     Its body.
	 */
	private static function is_signed( Settings $settings, string $id, array $answer, string $text ): bool {
		$headers = array( 'webhook-id' => $id );
		foreach ( array( 'webhook-timestamp', 'webhook-signature' ) as $name ) {
			$value            = wp_remote_retrieve_header( $answer, $name );
			$headers[ $name ] = is_string( $value ) ? $value : '';
		}
		return Message_Signature::verify( $settings->connection_secret(), $headers, $text );
	}

	/**
	 * What a message of Gatehouse says, as text without tags.
	 *
	 * @param mixed $body Decoded body of an answer.
	 */
	private static function words_of( mixed $body ): string {
		$words = is_array( $body ) ? ( $body['message'] ?? null ) : null;
		return is_string( $words ) ? mb_substr( sanitize_text_field( $words ), 0, self::WORDS_MAX ) : '';
	}

	/**
	 * There was no answer.
	 */
	private static function unreachable(): \WP_Error {
		return new \WP_Error( 'gatehouse_unreachable', __( 'Gatehouse did not answer.', 'gatehouse' ), 0 );
	}

	/**
	 * Gatehouse, or something in its place, answered with an error. Errors are not signed.
	 *
	 * @param int   $status HTTP status.
	 * @param mixed $body   Decoded body of the answer.
	 */
	private static function refused( int $status, mixed $body ): \WP_Error {
		if ( 401 === $status ) {
			return new \WP_Error( 'gatehouse_status', __( 'Gatehouse did not accept the signature. Check the clock of your server. If it is right, connect again with a new code.', 'gatehouse' ), $status );
		}
		if ( 429 === $status || $status >= 500 ) {
			return new \WP_Error( 'gatehouse_status', __( 'Gatehouse did not answer.', 'gatehouse' ), $status );
		}
		$words = self::words_of( $body );
		/* translators: %d: HTTP status */
		return new \WP_Error( 'gatehouse_status', '' === $words ? sprintf( __( 'Gatehouse answered with an error (HTTP status %d).', 'gatehouse' ), $status ) : $words, $status );
	}
}
