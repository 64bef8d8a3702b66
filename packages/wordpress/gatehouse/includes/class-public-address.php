<?php
/**
 * Addresses on the public internet.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * Tells public IPv4 addresses from those of inner networks.
 */
final class Public_Address {
	/**
	 * Ranges that are not public, as first address and bits (IANA's registry of special addresses).
	 */
	private const RANGES = array(
		array( '0.0.0.0', 8 ),
		array( '10.0.0.0', 8 ),
		array( '100.64.0.0', 10 ),
		array( '127.0.0.0', 8 ),
		array( '169.254.0.0', 16 ),
		array( '172.16.0.0', 12 ),
		array( '192.0.0.0', 24 ),
		array( '192.0.2.0', 24 ),
		array( '192.88.99.0', 24 ),
		array( '192.168.0.0', 16 ),
		array( '198.18.0.0', 15 ),
		array( '198.51.100.0', 24 ),
		array( '203.0.113.0', 24 ),
		array( '224.0.0.0', 3 ),
	);

	/**
	 * Whether an address is public.
	 *
	 * @param string $address IPv4 address.
	 */
	public static function is_public( string $address ): bool {
		$number = ip2long( $address );
		if ( false === $number ) {
			return false;
		}
		foreach ( self::RANGES as [ $first, $bits ] ) {
			if ( $number >> ( 32 - $bits ) === ip2long( $first ) >> ( 32 - $bits ) ) {
				return false;
			}
		}
		return true;
	}
}
