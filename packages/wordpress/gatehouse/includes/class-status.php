<?php
/**
 * What happened last in the background.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * A few notes for the settings page.
 */
final class Status {
	public const OPTION = 'gatehouse_status';

	/**
	 * Keeps a note. Writes only if it changes something.
	 *
	 * @param string $name  Name of the note, such as `ran_at` or `report_problem`.
	 * @param string $value What to keep.
	 */
	public static function note( string $name, string $value ): void {
		$notes = self::all();
		if ( ( $notes[ $name ] ?? '' ) !== $value ) {
			update_option( self::OPTION, array_merge( $notes, array( $name => $value ) ), false );
		}
	}

	/**
	 * All notes by name.
	 *
	 * @return array<string, string>
	 */
	public static function all(): array {
		$notes = get_option( self::OPTION, array() );
		return is_array( $notes ) ? $notes : array();
	}
}
