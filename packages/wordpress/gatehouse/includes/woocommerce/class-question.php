<?php
/**
 * What Gatehouse asks about a cart.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

defined( 'ABSPATH' ) || exit;

/**
 * A cart of a message.
 */
final class Question {
	public const QUANTITY_MAX = 1_000_000;

	private const LINES_MAX   = 50;
	private const COUPONS_MAX = 5;

	/**
	 * Use read(), or give the fields of an order.
	 *
	 * @param string                                               $currency    Code of the currency.
	 * @param array<int, array{product_id: string, quantity: int}> $lines       Products.
	 * @param Destination|null                                     $destination Where they are sent.
	 * @param string                                               $option_id   Chosen way of delivery; empty without one.
	 * @param string[]                                             $coupons     Codes.
	 */
	public function __construct(
		public readonly string $currency,
		public readonly array $lines,
		public readonly ?Destination $destination,
		public readonly string $option_id,
		public readonly array $coupons,
	) {}

	/**
	 * Reads a message of the type quote or reserve.
	 *
	 * @param Fields $fields What was sent.
	 */
	public static function read( Fields $fields ): self {
		$lines = array_map(
			static fn( Fields $line ): array => array(
				'product_id' => $line->id( 'product_id' ),
				'quantity'   => $line->integer( 'quantity', 1, self::QUANTITY_MAX ),
			),
			$fields->each( 'lines', 1, self::LINES_MAX )
		);
		return new self(
			$fields->currency( 'currency' ),
			$lines,
			$fields->has( 'destination' ) ? Destination::read( $fields->fields( 'destination' ) ) : null,
			$fields->has( 'option_id' ) ? $fields->id( 'option_id' ) : '',
			$fields->has( 'coupons' ) ? $fields->texts( 'coupons', self::COUPONS_MAX ) : array(),
		);
	}
}
