<?php
/**
 * Where something is sent.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

defined( 'ABSPATH' ) || exit;

/**
 * An address of a message, in the words of WooCommerce.
 */
final class Destination {
	/**
	 * Use read() or assumed().
	 *
	 * @param array<string, string> $address WooCommerce's fields of an address, without their prefix.
	 */
	private function __construct( public readonly array $address ) {}

	/**
	 * Reads an address.
	 *
	 * @param Fields $fields     What was sent.
	 * @param bool   $is_ordered Whether it belongs to an order, which is not refused for what its address lacks.
	 * @throws Unreadable_Message If there is no country.
	 */
	public static function read( Fields $fields, bool $is_ordered = false ): self {
		$country = $fields->text( 'country' );
		if ( 1 !== preg_match( '/^[A-Z]{2}$/D', $country ) ) {
			$country = $is_ordered ? '' : throw new Unreadable_Message( 'country: must be two capital letters.' );
		}
		return new self(
			array(
				'first_name' => $fields->text( 'first_name' ),
				'last_name'  => $fields->text( 'last_name' ),
				'address_1'  => $fields->text( 'street' ),
				'address_2'  => $fields->text( 'street_2' ),
				'city'       => $fields->text( 'city' ),
				'state'      => self::state( $country, $fields->text( 'region' ) ),
				'postcode'   => wc_format_postcode( $fields->text( 'postal_code' ), $country ),
				'country'    => $country,
				'phone'      => $fields->text( 'phone' ),
			)
		);
	}

	/**
	 * Where WooCommerce assumes a visitor whose address it does not know yet. The address of the caller means nothing
	 * here, because it is Gatehouse's.
	 */
	public static function assumed(): self {
		$base = '' === get_option( 'woocommerce_default_customer_address' ) ? array() : wc_get_base_location();
		return new self( array_merge( array( 'country' => '' ), $base ) );
	}

	/**
	 * A customer who lives there. Nothing of it is saved.
	 */
	public function customer(): \WC_Customer {
		$customer = new \WC_Customer( 0 );
		$props    = array();
		foreach ( array_diff_key( $this->address, array( 'phone' => true ) ) as $name => $value ) {
			$props[ "billing_$name" ]  = $value;
			$props[ "shipping_$name" ] = $value;
		}
		$customer->set_props( $props );
		$customer->set_calculated_shipping( true );
		return $customer;
	}

	/**
	 * WooCommerce's code of a region: it may be sent as `BE`, `DE-BE` or `Berlin`.
	 *
	 * @param string $country Code of the country.
	 * @param string $region  What was sent.
	 */
	private static function state( string $country, string $region ): string {
		$states = WC()->countries->get_states( $country );
		if ( '' === $region || ! is_array( $states ) || array() === $states ) {
			return $region;
		}
		$sent = wc_strtoupper( $region );
		foreach ( $states as $code => $name ) {
			$code  = (string) $code;
			$names = array( $code, "$country-$code", html_entity_decode( $name, ENT_QUOTES, 'UTF-8' ) );
			if ( str_starts_with( $code, "$country-" ) ) {
				$names[] = substr( $code, 3 );
			}
			if ( in_array( $sent, array_map( 'wc_strtoupper', $names ), true ) ) {
				return $code;
			}
		}
		return $region;
	}
}
