<?php
/**
 * Changes that come from Gatehouse.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

defined( 'ABSPATH' ) || exit;

/**
 * Marks work that a message of Gatehouse causes, so that its changes are not sent back.
 */
final class Incoming {
	/**
	 * How many such works are running inside each other.
	 *
	 * @var int
	 */
	private static int $depth = 0;

	/**
	 * Does work that a message of Gatehouse causes.
	 *
	 * @template T
	 * @param callable(): T $work What to do.
	 * @return T
	 */
	public static function run( callable $work ): mixed {
		++self::$depth;
		try {
			return $work();
		} finally {
			--self::$depth;
		}
	}

	/**
	 * Whether such work is running.
	 */
	public static function running(): bool {
		return self::$depth > 0;
	}
}
