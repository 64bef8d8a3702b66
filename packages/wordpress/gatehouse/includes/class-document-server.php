<?php
/**
 * Answers requests for documents of Gatehouse on the site's own domain.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * Serves documents. Every other request goes on to WordPress unchanged.
 */
final class Document_Server {
	/**
	 * How soon a document that has expired may be asked for again.
	 */
	private const RETRY_AFTER_S = 5;

	/**
	 * Whether this request was answered with a document.
	 *
	 * @var bool
	 */
	private static bool $answered = false;

	/**
	 * Whether this request was answered with a document.
	 */
	public static function has_answered(): bool {
		return self::$answered;
	}

	/**
	 * Answers if the request is for a document that there is; otherwise the site answers.
	 */
	public static function answer(): void {
		$method = Request::method();
		if ( 'GET' !== $method && 'HEAD' !== $method ) {
			return;
		}
		$path     = Request::path();
		$settings = Settings::current();
		if ( null === $settings || in_array( $path, $settings->except, true ) ) {
			return;
		}
		if ( Document::tables()['verification_path'] === $path && '' !== $settings->verification ) {
			self::send( 200, self::proof_headers(), $settings->verification );
		}
		$document = Document::at( $path, Request::header( 'accept' ) );
		$kept     = null === $document ? null : self::find( $document, $settings );
		if ( null === $kept ) {
			return;
		}
		if ( ! $kept->is_expired( time() ) ) {
			self::send_document( $kept->headers, $kept->body );
		}
		$rest = Document_Check::after_expiry( $document->kind, $kept->body );
		if ( null === $rest ) {
			self::send_expired();
		}
		// The old ETag described other bytes.
		$headers = array_diff_key( $kept->headers, array( 'etag' => true ) );
		self::send_document( array_merge( $headers, array( 'cache-control' => 'no-store' ) ), $rest );
	}

	/**
	 * The copy to serve; null when the site should answer. This waits for Gatehouse only where the copy is
	 * not fresh, at most for the budget, and not again soon after a failure.
	 *
	 * @param Document $document Which document.
	 * @param Settings $settings The connection.
	 */
	private static function find( Document $document, Settings $settings ): ?Kept_Document {
		$now  = time();
		$kept = Kept_Document::load( $document );
		if ( ! $kept->is_fresh( $now ) && $now >= $kept->not_before ) {
			$kept = Document_Source::renew( $document, $kept, $settings, Gatehouse_Client::BUDGET_S );
		}
		return $kept->is_usable( $now ) ? $kept : null;
	}

	/**
	 * Sends a document, or 304 if the client has it.
	 *
	 * @param array<string, string> $headers Headers by name.
	 * @param string                $body    Bytes.
	 */
	private static function send_document( array $headers, string $body ): never {
		if ( self::is_unchanged( Request::header( 'if-none-match' ), $headers['etag'] ?? '' ) ) {
			unset( $headers['content-type'] );
			self::send( 304, $headers, '' );
		}
		self::send( 200, $headers, $body );
	}

	/**
	 * An expired signature proves nothing, and verifiers would take the document for a forgery.
	 */
	private static function send_expired(): never {
		$headers = array(
			'content-type'                => 'application/json; charset=utf-8',
			'cache-control'               => 'no-store',
			'retry-after'                 => (string) self::RETRY_AFTER_S,
			'access-control-allow-origin' => '*',
		);
		$message = 'This document has expired and could not be renewed. Try again shortly.';
		$body    = array(
			'error'   => 'unavailable',
			'message' => $message,
		);
		self::send( 503, $headers, (string) wp_json_encode( $body ) );
	}

	/**
	 * Headers of the file that proves the domain.
	 *
	 * @return array<string, string>
	 */
	private static function proof_headers(): array {
		return array(
			'content-type'  => 'text/plain; charset=utf-8',
			'cache-control' => 'no-store',
		);
	}

	/**
	 * Sends an answer and ends the request. What it was goes to the queue of visits at shutdown.
	 *
	 * @param int                   $status  HTTP status.
	 * @param array<string, string> $headers Headers by name.
	 * @param string                $body    Bytes.
	 */
	private static function send( int $status, array $headers, string $body ): never {
		self::$answered = true;
		// Page caches would keep documents past their expiry.
		// phpcs:ignore WordPress.NamingConventions.PrefixAllGlobals -- page caches look for this name.
		defined( 'DONOTCACHEPAGE' ) || define( 'DONOTCACHEPAGE', true );
		// Whatever other plugins have printed is not part of the document.
		while ( ob_get_level() > 0 && ob_end_clean() ) {
			continue;
		}
		// Caches may keep a document for everybody, and a cookie is for one visitor.
		header_remove( 'Set-Cookie' );
		status_header( $status );
		foreach ( $headers as $name => $value ) {
			header( $name . ': ' . $value );
		}
		if ( 200 === $status && ! ini_get( 'zlib.output_compression' ) ) {
			header( 'content-length: ' . strlen( $body ) );
		}
		if ( 'HEAD' !== Request::method() ) {
			// phpcs:ignore WordPress.Security.EscapeOutput.OutputNotEscaped -- a signed document, which must keep its bytes.
			echo $body;
		}
		exit;
	}

	/**
	 * Weak comparison (RFC 9110 section 13.1.2).
	 *
	 * @param string $if_none_match The client's header.
	 * @param string $etag          Of the document.
	 */
	private static function is_unchanged( string $if_none_match, string $etag ): bool {
		if ( '' === $if_none_match || '' === $etag ) {
			return false;
		}
		$bare = static fn( string $tag ): string => (string) preg_replace( '~^W/~', '', trim( $tag ) );
		$tags = array_map( $bare, explode( ',', $if_none_match ) );
		return in_array( '*', $tags, true ) || in_array( $bare( $etag ), $tags, true );
	}
}
