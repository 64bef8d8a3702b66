<?php
/**
 * Whether the connection works.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * What the settings page and the command line show.
 */
final class Health {
	/**
	 * WP-Cron is late if it has not run for so long.
	 */
	private const LATE_S = 10 * MINUTE_IN_SECONDS;

	/**
	 * The state of each document.
	 *
	 * @param Settings $settings The connection.
	 * @return array<int, array{path: string, form: string, kept_at: int, state: string}>
	 */
	public static function documents( Settings $settings ): array {
		$rows = array();
		foreach ( Document::all() as $document ) {
			$kept   = Kept_Document::load( $document );
			$rows[] = array(
				'path'    => $document->path,
				'form'    => $document->accept,
				'kept_at' => '' === $kept->body ? 0 : $kept->kept_at,
				'state'   => self::state_of( $document, $kept, $settings ),
			);
		}
		return $rows;
	}

	/**
	 * The state of a document in words.
	 *
	 * @param Document      $document Which document.
	 * @param Kept_Document $kept     Its copy.
	 * @param Settings      $settings The connection.
	 */
	private static function state_of( Document $document, Kept_Document $kept, Settings $settings ): string {
		if ( in_array( $document->path, $settings->except, true ) ) {
			return __( 'Your site serves this path itself.', 'gatehouse' );
		}
		if ( is_file( ABSPATH . ltrim( $document->path, '/' ) ) ) {
			return __( 'A file of this name on your server is served instead.', 'gatehouse' );
		}
		if ( Document_Source::ABSENT === $kept->problem ) {
			return __( 'Not available. Your domain is not verified, or you have nothing to offer in this document.', 'gatehouse' );
		}
		if ( '' === $kept->body ) {
			return '' === $kept->problem ? __( 'Not fetched yet.', 'gatehouse' ) : $kept->problem;
		}
		if ( $kept->is_expired( time() ) ) {
			return __( 'Expired.', 'gatehouse' ) . ' ' . $kept->problem;
		}
		return '' === $kept->problem ? __( 'Served.', 'gatehouse' ) : __( 'An older copy is served.', 'gatehouse' ) . ' ' . $kept->problem;
	}

	/**
	 * What needs attention, in sentences.
	 *
	 * @param Settings $settings The connection.
	 * @return string[]
	 */
	public static function problems( Settings $settings ): array {
		$notes    = Status::all();
		$problems = array();
		if ( '' !== trim( (string) wp_parse_url( home_url(), PHP_URL_PATH ), '/' ) ) {
			$problems[] = __( 'Your site is in a folder of its domain. Agents look for documents at the root of the domain, which WordPress does not serve.', 'gatehouse' );
		}
		if ( '' === get_option( 'permalink_structure' ) ) {
			$problems[] = __( 'Permalinks are set to “Plain”. Choose another structure in Settings → Permalinks, so that requests for documents reach WordPress.', 'gatehouse' );
		}
		if ( time() > max( (int) ( $notes['ran_at'] ?? 0 ), (int) ( $notes['scheduled_at'] ?? 0 ) ) + self::LATE_S ) {
			$problems[] = __( 'Background work has not run for ten minutes. WP-Cron runs when your site has visitors. Call wp-cron.php every minute from your server to make it reliable.', 'gatehouse' );
		}
		if ( ! $settings->reports ) {
			$problems[] = __( 'Without an edge token, visits of agents are not reported. Enter one below Advanced, or connect with a code.', 'gatehouse' );
		} elseif ( '' !== ( $notes['report_problem'] ?? '' ) ) {
			$problems[] = __( 'Visits could not be reported.', 'gatehouse' ) . ' ' . $notes['report_problem'];
		}
		if ( ! function_exists( 'curl_init' ) ) {
			$problems[] = __( 'The PHP extension curl is missing, so signatures of agents cannot be verified.', 'gatehouse' );
		}
		return $problems;
	}

	/**
	 * A time in the site's time zone and format.
	 *
	 * @param int $time Seconds; 0 for never.
	 */
	public static function time_text( int $time ): string {
		if ( 0 === $time ) {
			return __( 'never', 'gatehouse' );
		}
		return wp_date( get_option( 'date_format' ) . ' ' . get_option( 'time_format' ) . ' T', $time );
	}
}
