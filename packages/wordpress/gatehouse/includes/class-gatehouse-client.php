<?php
/**
 * Requests to Gatehouse.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * Asks the Gatehouse this site is connected with. Follows no redirect, so that the token stays there.
 */
final class Gatehouse_Client {
	/**
	 * What a program that asks for a document waits for Gatehouse: 300 ms in all, less what PHP itself needs.
	 */
	public const BUDGET_S = 0.25;
	/**
	 * What Gatehouse has to answer while nobody waits.
	 */
	public const BACKGROUND_S        = 5.0;
	private const ANSWER_BYTES_MAX   = 1_048_576;
	private const CURL_SECONDS_LEAST = 1.0;

	/**
	 * Asks for something.
	 *
	 * @param string $address Whole address.
	 * @param string $accept  Media type to ask for.
	 * @param float  $seconds How long to wait.
	 * @return array<string, mixed>|\WP_Error
	 */
	public static function get( string $address, string $accept, float $seconds ): array|\WP_Error {
		return self::send( $address, $seconds, array( 'headers' => array( 'Accept' => $accept ) ) );
	}

	/**
	 * Sends JSON with the edge token.
	 *
	 * @param Settings $settings The connection.
	 * @param string   $path     Path at Gatehouse.
	 * @param string   $json     Body.
	 * @return int|\WP_Error The status of the answer.
	 */
	public static function post( Settings $settings, string $path, string $json ): int|\WP_Error {
		$headers = array(
			'Content-Type'  => 'application/json',
			'Authorization' => 'Bearer ' . $settings->edge_token(),
		);
		$answer  = self::exchange( $settings->gatehouse . $path, $headers, $json, self::BACKGROUND_S );
		return is_wp_error( $answer ) ? $answer : (int) wp_remote_retrieve_response_code( $answer );
	}

	/**
	 * Sends JSON, and returns the whole answer.
	 *
	 * @param string                $address Whole address.
	 * @param array<string, string> $headers Headers by name.
	 * @param string                $json    Body.
	 * @param float                 $seconds How long to wait.
	 * @return array<string, mixed>|\WP_Error
	 */
	public static function exchange( string $address, array $headers, string $json, float $seconds ): array|\WP_Error {
		return self::send(
			$address,
			$seconds,
			array(
				'method'  => 'POST',
				'headers' => $headers,
				'body'    => $json,
			)
		);
	}

	/**
	 * Sends a request by WordPress's own client, so that proxies and filters of the site apply.
	 *
	 * @param string               $address Whole address.
	 * @param float                $seconds How long to wait.
	 * @param array<string, mixed> $more    Further arguments.
	 * @return array<string, mixed>|\WP_Error
	 */
	private static function send( string $address, float $seconds, array $more ): array|\WP_Error {
		// WordPress's client rounds up to a whole second.
		$shorten = static function ( $handle, $request, $url ) use ( $address, $seconds ): void {
			if ( $url === $address && $seconds < self::CURL_SECONDS_LEAST ) {
				// phpcs:disable WordPress.WP.AlternativeFunctions.curl_curl_setopt -- the handle is WordPress's own.
				curl_setopt( $handle, CURLOPT_NOSIGNAL, true );
				curl_setopt( $handle, CURLOPT_CONNECTTIMEOUT_MS, (int) ( $seconds * 1000 ) );
				curl_setopt( $handle, CURLOPT_TIMEOUT_MS, (int) ( $seconds * 1000 ) );
				// phpcs:enable
			}
		};
		add_action( 'http_api_curl', $shorten, PHP_INT_MAX, 3 );
		$arguments = array(
			'timeout'             => $seconds,
			'redirection'         => 0,
			'limit_response_size' => self::ANSWER_BYTES_MAX + 1,
			'user-agent'          => 'Gatehouse-WordPress/' . Plugin::VERSION,
		);
		$answer    = Packed_Answer::request( $address, array_merge( $arguments, $more ) );
		remove_action( 'http_api_curl', $shorten, PHP_INT_MAX );
		if ( ! is_wp_error( $answer ) && strlen( wp_remote_retrieve_body( $answer ) ) > self::ANSWER_BYTES_MAX ) {
			return new \WP_Error( 'gatehouse_answer_too_large', __( 'The answer is too large.', 'gatehouse' ) );
		}
		return $answer;
	}
}
