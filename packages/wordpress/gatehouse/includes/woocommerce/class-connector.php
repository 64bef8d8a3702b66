<?php
/**
 * The endpoint that Gatehouse sends messages to.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

use Gatehouse\Connect_Proof;
use Gatehouse\Message_Signature;
use Gatehouse\Request;
use Gatehouse\Settings;

defined( 'ABSPATH' ) || exit;

/**
 * Checks who sent a message, and answers it. It answers before WordPress does, because WordPress would read the JSON
 * before the signature is checked, answer without a signature, and load every other route first.
 */
final class Connector {
	public const ROUTE = '/gatehouse/v1/connector';

	private const BODY_BYTES_MAX = 256 * KB_IN_BYTES;
	private const SIGNED_HEADERS = array( 'webhook-id', 'webhook-timestamp', 'webhook-signature' );

	/**
	 * Answers if the request is a message and the shop is connected or connecting; otherwise WordPress answers.
	 *
	 * @param \WP $wordpress The request as WordPress read it.
	 */
	public static function answer( \WP $wordpress ): void {
		$route = $wordpress->query_vars['rest_route'] ?? '';
		if ( ! is_string( $route ) || self::ROUTE !== untrailingslashit( $route ) || 'POST' !== Request::method() ) {
			return;
		}
		$body  = (string) file_get_contents( 'php://input', false, null, 0, self::BODY_BYTES_MAX + 1 );
		$proof = Connect_Proof::answer( $body );
		if ( null !== $proof ) {
			self::send( 200, array(), $proof );
		}
		$settings = Settings::current();
		if ( null === $settings || ! $settings->has_shop() ) {
			return;
		}
		$headers = array();
		foreach ( self::SIGNED_HEADERS as $name ) {
			$headers[ $name ] = Request::header( $name );
		}
		if ( strlen( $body ) > self::BODY_BYTES_MAX ) {
			self::send( 400, array(), self::problem( 'The body is larger than 256 KB.' ) );
		}
		// An answer to a stranger is not signed: nobody else may have a text of their choice signed.
		if ( ! Message_Signature::verify( $settings->connection_secret(), $headers, $body ) ) {
			self::send( 401, array(), self::problem( 'The signature is not valid, or it is more than 5 minutes old.' ) );
		}
		// A message acts for Gatehouse, whoever is signed in where it comes from.
		wp_set_current_user( 0 );
		[ $status, $answer ] = self::handle( $body );
		$json                = (string) wp_json_encode( $answer, JSON_UNESCAPED_SLASHES );
		self::send( $status, Message_Signature::headers( $settings->connection_secret(), $headers['webhook-id'], $json ), $json );
	}

	/**
	 * The answer to a message whose signature is valid.
	 *
	 * @param string $body What was sent.
	 * @return array{0: int, 1: array<string, mixed>} Status and body.
	 */
	private static function handle( string $body ): array {
		if ( ! Shop::is_ready() ) {
			return array( 503, self::error( 'WooCommerce is not active, or older than ' . Shop::VERSION_LEAST . '.' ) );
		}
		try {
			$fields = Fields::read( $body );
			return array( 200, Incoming::run( static fn(): array => self::dispatch( $fields ) ) );
		} catch ( Unreadable_Message $problem ) {
			return array( 400, self::error( $problem->getMessage() ) );
		} catch ( Busy $problem ) {
			return array( 503, self::error( $problem->getMessage() ) );
		} catch ( \Throwable $error ) {
			wc_get_logger()->error( (string) $error, array( 'source' => 'gatehouse' ) );
			return array( 503, self::error( 'The shop could not answer. Its WooCommerce log says why.' ) );
		}
	}

	/**
	 * Answers by the type of the message.
	 *
	 * @param Fields $fields The message.
	 * @return array<string, mixed>
	 * @throws Unreadable_Message If the type is not known.
	 */
	private static function dispatch( Fields $fields ): array {
		return match ( $fields->id( 'type' ) ) {
			'quote'   => Quote::answer( $fields ),
			'reserve' => Reserve::answer( $fields ),
			'release' => Release::answer( $fields ),
			'order'   => Order::answer( $fields ),
			default   => throw new Unreadable_Message( 'type: is not known.' ),
		};
	}

	/**
	 * An answer that says what is wrong.
	 *
	 * @param string $problem A sentence.
	 * @return array<string, string>
	 */
	private static function error( string $problem ): array {
		return array(
			'type'    => 'error',
			'problem' => $problem,
		);
	}

	/**
	 * The same as JSON.
	 *
	 * @param string $problem A sentence.
	 */
	private static function problem( string $problem ): string {
		return (string) wp_json_encode( self::error( $problem ) );
	}

	/**
	 * Sends an answer and ends the request.
	 *
	 * @param int                   $status  HTTP status.
	 * @param array<string, string> $headers Headers by name.
	 * @param string                $json    Body.
	 */
	private static function send( int $status, array $headers, string $json ): never {
		// phpcs:ignore WordPress.NamingConventions.PrefixAllGlobals -- page caches look for this name.
		defined( 'DONOTCACHEPAGE' ) || define( 'DONOTCACHEPAGE', true );
		// Whatever other plugins have printed is not part of the answer.
		while ( ob_get_level() > 0 && ob_end_clean() ) {
			continue;
		}
		header_remove( 'Set-Cookie' );
		status_header( $status );
		$fixed = array(
			'content-type'  => 'application/json',
			'cache-control' => 'no-store',
		);
		foreach ( array_merge( $fixed, $headers ) as $name => $value ) {
			header( $name . ': ' . $value );
		}
		// phpcs:ignore WordPress.Security.EscapeOutput.OutputNotEscaped -- JSON, whose bytes are signed.
		echo $json;
		exit;
	}
}
