<?php
/**
 * The directive `max-age` of `Cache-Control`.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * Reads how long an answer may be kept.
 */
final class Max_Age {
	/**
	 * Seconds within bounds; the least where the header says nothing.
	 *
	 * @param string $cache_control The header.
	 * @param int    $min           Seconds.
	 * @param int    $max           Seconds.
	 */
	public static function seconds( string $cache_control, int $min, int $max ): int {
		$found = preg_match( '/(?:^|[\s,])max-age=(\d{1,9})/i', $cache_control, $parts );
		return min( max( 1 === $found ? (int) $parts[1] : 0, $min ), $max );
	}
}
