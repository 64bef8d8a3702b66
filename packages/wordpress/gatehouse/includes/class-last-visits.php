<?php
/**
 * The last visits of agents.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * Keeps the newest visits that were reported, for the settings page. The console has all of them.
 */
final class Last_Visits {
	public const OPTION         = 'gatehouse_last_visits';
	private const KEPT          = 5;
	private const AGENT_CHARS   = 100;
	private const ADDRESS_CHARS = 200;

	/**
	 * Keeps the newest visits of agents.
	 *
	 * @param array<int, array<string, mixed>> $visits Visits that were reported, the oldest first.
	 */
	public static function note( array $visits ): void {
		$of_agents = array_filter( $visits, static fn( array $visit ): bool => isset( $visit['signature'] ) || ! Caller::is_person( (string) ( $visit['user_agent'] ?? '' ) ) );
		if ( array() === $of_agents ) {
			return;
		}
		$newest = array_map( self::row( ... ), array_slice( array_reverse( $of_agents ), 0, self::KEPT ) );
		update_option( self::OPTION, array_slice( array_merge( $newest, self::all() ), 0, self::KEPT ), false );
	}

	/**
	 * The newest first.
	 *
	 * @return array<int, array{at: int, agent: string, page: string, verified: bool}>
	 */
	public static function all(): array {
		$kept = get_option( self::OPTION, array() );
		return is_array( $kept ) ? array_filter( $kept, 'is_array' ) : array();
	}

	/**
	 * Shows them.
	 */
	public static function show(): void {
		$visits = self::all();
		if ( array() === $visits ) {
			echo '<p>' . esc_html__( 'No visits of agents yet.', 'gatehouse' ) . '</p>';
			return;
		}
		Settings_Form::open_table( array( __( 'Last visits of agents', 'gatehouse' ), __( 'Agent', 'gatehouse' ), __( 'Page', 'gatehouse' ), __( 'Signature', 'gatehouse' ) ) );
		foreach ( $visits as $visit ) {
			echo '<tr><td>' . esc_html( Health::time_text( (int) $visit['at'] ) ) . '</td><td>' . esc_html( (string) $visit['agent'] ) . '</td>';
			echo '<td>' . esc_html( (string) $visit['page'] ) . '</td>';
			echo '<td>' . esc_html( true === $visit['verified'] ? __( 'verified', 'gatehouse' ) : __( 'not verified', 'gatehouse' ) ) . '</td></tr>';
		}
		echo '</tbody></table>';
	}

	/**
	 * What is kept of a visit.
	 *
	 * @param array<string, mixed> $visit As Gatehouse reads it.
	 * @return array{at: int, agent: string, page: string, verified: bool}
	 */
	private static function row( array $visit ): array {
		return array(
			'at'       => (int) strtotime( (string) ( $visit['observed_at'] ?? '' ) ),
			'agent'    => mb_substr( (string) ( $visit['user_agent'] ?? '' ), 0, self::AGENT_CHARS, 'UTF-8' ),
			'page'     => mb_substr( (string) wp_parse_url( (string) ( $visit['page_url'] ?? '' ), PHP_URL_PATH ), 0, self::ADDRESS_CHARS, 'UTF-8' ),
			'verified' => 'verified' === ( $visit['signature']['outcome'] ?? '' ),
		);
	}
}
