<?php
/**
 * The header `Accept` (RFC 9110 section 12.5.1).
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * Reads which form of a document a client prefers.
 */
final class Accept {
	/**
	 * Whether a client asks for Markdown by name, and likes it at least as well as the usual type.
	 *
	 * @param string $accept The header.
	 * @param string $ours   Usual type of the document.
	 */
	public static function prefers_markdown( string $accept, string $ours ): bool {
		if ( false === stripos( $accept, 'markdown' ) ) {
			return false;
		}
		$ranges = array();
		foreach ( explode( ',', strtolower( $accept ) ) as $range ) {
			$parts = array_map( 'trim', explode( ';', $range ) );
			$q     = 1.0;
			foreach ( array_slice( $parts, 1 ) as $parameter ) {
				if ( str_starts_with( $parameter, 'q=' ) ) {
					$weight = substr( $parameter, 2 );
					$q      = is_numeric( $weight ) ? (float) $weight : 0.0;
					break;
				}
			}
			$ranges[ $parts[0] ] = $q;
		}
		$markdown = $ranges['text/markdown'] ?? 0.0;
		$major    = strtok( $ours, '/' ) . '/*';
		$usual    = $ranges[ $ours ] ?? $ranges[ $major ] ?? $ranges['*/*'] ?? 0.0;
		return $markdown > 0.0 && $markdown >= $usual;
	}
}
