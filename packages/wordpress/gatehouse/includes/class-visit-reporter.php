<?php
/**
 * Reports visits to Gatehouse.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * Sends the visits that wait. A report that fails is not sent again: whether Gatehouse has recorded it cannot
 * be known, and no visit should count twice. So nothing is sent while Gatehouse does not answer at all.
 */
final class Visit_Reporter {
	/**
	 * Visits that one report may hold.
	 */
	private const REPORT_VISITS_MAX = 100;
	/**
	 * Reports of one run.
	 */
	private const REPORTS_MAX = 10;

	/**
	 * Sends what waits.
	 *
	 * @param Settings $settings The connection.
	 */
	public static function run( Settings $settings ): void {
		if ( ! $settings->reports || 0 === Visit_Queue::count() ) {
			return;
		}
		if ( ! self::is_alive( $settings ) ) {
			Status::note( 'report_problem', __( 'Gatehouse does not answer. The visits wait.', 'gatehouse' ) );
			return;
		}
		for ( $sent = 0; $sent < self::REPORTS_MAX; $sent++ ) {
			$visits = Visit_Queue::take( self::REPORT_VISITS_MAX );
			if ( array() === $visits ) {
				return;
			}
			$problem = self::send( $settings, $visits );
			Status::note( 'report_problem', $problem );
			if ( '' !== $problem ) {
				return;
			}
			Status::note( 'reported_at', (string) time() );
			Last_Visits::note( $visits );
		}
	}

	/**
	 * Asks with an empty report whether the token is right: Gatehouse looks at the token first.
	 *
	 * @param Settings $settings The connection.
	 * @return string What is wrong; empty if nothing is.
	 */
	public static function check_token( Settings $settings ): string {
		$status = Gatehouse_Client::post( $settings, self::path( $settings ), '{"visits":[]}' );
		return 400 === $status ? '' : self::problem_of( $status );
	}

	/**
	 * Whether Gatehouse answers.
	 *
	 * @param Settings $settings The connection.
	 */
	private static function is_alive( Settings $settings ): bool {
		$answer = Gatehouse_Client::get( $settings->gatehouse . '/healthz', '*/*', Gatehouse_Client::BACKGROUND_S );
		return ! is_wp_error( $answer ) && 200 === (int) wp_remote_retrieve_response_code( $answer );
	}

	/**
	 * Sends one report.
	 *
	 * @param Settings                         $settings The connection.
	 * @param array<int, array<string, mixed>> $visits   Visits.
	 * @return string What went wrong; empty if nothing did.
	 */
	private static function send( Settings $settings, array $visits ): string {
		$status = Gatehouse_Client::post( $settings, self::path( $settings ), (string) wp_json_encode( array( 'visits' => $visits ) ) );
		return 204 === $status ? '' : self::problem_of( $status );
	}

	/**
	 * Where visits are reported.
	 *
	 * @param Settings $settings The connection.
	 */
	private static function path( Settings $settings ): string {
		return '/v1/edge/' . $settings->site_key_hash() . '/visits';
	}

	/**
	 * What an owner can do about an answer.
	 *
	 * @param int|\WP_Error $status Status of the answer.
	 */
	private static function problem_of( int|\WP_Error $status ): string {
		if ( is_wp_error( $status ) ) {
			return __( 'Gatehouse did not answer.', 'gatehouse' );
		}
		return match ( $status ) {
			401 => __( 'The edge token is not valid. Create another one with “gatehouse token create --role edge”.', 'gatehouse' ),
			403 => __( 'The edge token belongs to another site than the site key.', 'gatehouse' ),
			429 => __( 'Gatehouse does not accept so many visits for one site.', 'gatehouse' ),
			/* translators: %d: HTTP status */
			default => sprintf( __( 'Gatehouse answered with an error (HTTP status %d).', 'gatehouse' ), $status ),
		};
	}
}
