<?php
/**
 * Amounts in minor units.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

use Gatehouse\Document;

defined( 'ABSPATH' ) || exit;

/**
 * Converts amounts. The digits are those of ISO 4217, whatever the shop shows.
 */
final class Money {
	private const DIGITS_USUAL = 2;

	/**
	 * Digits after the decimal point of a currency.
	 *
	 * @param string $currency Code of the currency.
	 */
	public static function digits( string $currency ): int {
		return Document::tables()['currency_digits'][ $currency ] ?? self::DIGITS_USUAL;
	}

	/**
	 * An amount of WooCommerce in minor units.
	 *
	 * @param mixed  $amount   A number, or a text with one.
	 * @param string $currency Code of the currency.
	 */
	public static function minor( mixed $amount, string $currency ): int {
		return (int) round( (float) $amount * 10 ** self::digits( $currency ) );
	}

	/**
	 * An amount as WooCommerce stores it.
	 *
	 * @param int    $minor    Minor units.
	 * @param string $currency Code of the currency.
	 */
	public static function decimal( int $minor, string $currency ): string {
		$digits = self::digits( $currency );
		return number_format( $minor / 10 ** $digits, $digits, '.', '' );
	}

	/**
	 * An amount for a person.
	 *
	 * @param int    $minor    Minor units.
	 * @param string $currency Code of the currency.
	 */
	public static function shown( int $minor, string $currency ): string {
		return self::decimal( $minor, $currency ) . ' ' . $currency;
	}
}
