<?php
/**
 * Ways of delivery.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

defined( 'ABSPATH' ) || exit;

/**
 * The rates that WooCommerce found for a cart. A plugin may split a cart into several packages: then an option is one
 * rate for each of them.
 */
final class Delivery_Options {
	private const OPTIONS_MAX     = 50;
	private const ID_PATTERN      = '/^[!-~]{1,100}$/D';
	private const TITLE_CHARS_MAX = 200;

	/**
	 * Rates by the key of their package, by the id of the option.
	 *
	 * @var array<string, array<int|string, \WC_Shipping_Rate>>
	 */
	private array $options = array();

	/**
	 * Finds the options of packages.
	 *
	 * @param array<int|string, array<string, mixed>> $packages Packages with their rates.
	 */
	public function __construct( array $packages ) {
		$choices = array() === $packages ? array() : array( array() );
		foreach ( $packages as $key => $package ) {
			$longer = array();
			foreach ( $choices as $choice ) {
				foreach ( $package['rates'] as $rate ) {
					$longer[] = $choice + array( $key => $rate );
				}
			}
			$choices = array_slice( $longer, 0, self::OPTIONS_MAX );
		}
		foreach ( $choices as $choice ) {
			$this->options[ self::id( $choice ) ] = $choice;
		}
	}

	/**
	 * What WooCommerce calls the choice of an option: ids of rates by the key of their package. Null if there is no
	 * such option.
	 *
	 * @param string $id Id of an option.
	 * @return array<int|string, string>|null
	 */
	public function find( string $id ): ?array {
		$rates = $this->options[ $id ] ?? null;
		return null === $rates ? null : array_map( static fn( \WC_Shipping_Rate $rate ): string => $rate->get_id(), $rates );
	}

	/**
	 * The options as Gatehouse reads them.
	 *
	 * @param string $currency      Code of the currency.
	 * @param bool   $including_tax Whether the cart shows prices with tax.
	 * @return array<int, array<string, mixed>>
	 */
	public function all( string $currency, bool $including_tax ): array {
		$options = array();
		foreach ( $this->options as $id => $rates ) {
			$cost      = array_sum( array_map( static fn( \WC_Shipping_Rate $rate ): float => (float) $rate->get_cost(), $rates ) );
			$tax       = array_sum( array_map( static fn( \WC_Shipping_Rate $rate ): float => (float) array_sum( $rate->get_taxes() ), $rates ) );
			$options[] = array(
				'id'           => (string) $id,
				'title'        => self::title( $rates ),
				'amount_minor' => Money::minor( $including_tax ? $cost + $tax : $cost, $currency ),
			);
		}
		return $options;
	}

	/**
	 * The id of an option: ids of its rates. Ids of plugins can be too long or contain spaces.
	 *
	 * @param array<int|string, \WC_Shipping_Rate> $rates Rates of the option.
	 */
	private static function id( array $rates ): string {
		$id = implode( '|', array_map( static fn( \WC_Shipping_Rate $rate ): string => $rate->get_id(), $rates ) );
		return 1 === preg_match( self::ID_PATTERN, $id ) ? $id : md5( $id );
	}

	/**
	 * The title of an option.
	 *
	 * @param array<int|string, \WC_Shipping_Rate> $rates Rates of the option.
	 */
	private static function title( array $rates ): string {
		$labels = array_unique( array_map( static fn( \WC_Shipping_Rate $rate ): string => Plain_Text::of( $rate->get_label() ), $rates ) );
		$title  = mb_substr( implode( ', ', array_filter( $labels ) ), 0, self::TITLE_CHARS_MAX, 'UTF-8' );
		return '' === $title ? __( 'Delivery', 'gatehouse' ) : $title;
	}
}
