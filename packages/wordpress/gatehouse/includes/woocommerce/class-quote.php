<?php
/**
 * Quotes.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

defined( 'ABSPATH' ) || exit;

/**
 * What a cart would cost, as WooCommerce computes it.
 */
final class Quote {
	private const TITLE_CHARS_MAX = 200;
	private const FEES_MAX        = 20;

	/**
	 * Answers a message of the type quote.
	 *
	 * @param Fields $fields What was sent.
	 * @return array<string, mixed>
	 */
	public static function answer( Fields $fields ): array {
		return Scratch_Cart::fill( Question::read( $fields ), array( self::class, 'of' ) );
	}

	/**
	 * The quote of a cart.
	 *
	 * @param Scratch_Cart $scratch The cart.
	 * @return array<string, mixed>
	 */
	public static function of( Scratch_Cart $scratch ): array {
		$question  = $scratch->question;
		$lines     = array();
		$sum_minor = 0;
		foreach ( $question->lines as $i => $line ) {
			$fault   = $scratch->fault( $i );
			$price   = null === $fault ? array( 'unit_minor' => $scratch->unit_minor( $i ) ) : array( 'fault' => $fault );
			$lines[] = array_merge( $line, $price );

			$sum_minor += $line['quantity'] * ( $price['unit_minor'] ?? 0 );
		}
		$including_tax = $scratch->cart->display_prices_including_tax();
		$options       = $scratch->options()->all( $question->currency, $including_tax );
		$chosen        = array_column( $options, 'amount_minor', 'id' );
		$discounts     = self::discounts( $scratch, $including_tax );
		$fees          = self::fees( $scratch, $including_tax );
		$total_minor   = $scratch->total_minor();
		// Taxes, and what rounding adds to the sum of rounded prices.
		$rest_minor = $total_minor - $sum_minor - ( $chosen[ $question->option_id ] ?? 0 ) - array_sum( array_column( $fees, 'amount_minor' ) ) + array_sum( array_column( $discounts, 'amount_minor' ) );
		if ( $rest_minor < 0 ) {
			$discounts[] = self::discount( null, __( 'Adjustment', 'gatehouse' ), -$rest_minor );
		}
		return array(
			'type'             => 'quote.answer',
			'currency'         => $question->currency,
			'lines'            => $lines,
			'ships'            => $scratch->cart->needs_shipping(),
			'options'          => $options,
			'discounts'        => $discounts,
			'fees'             => $fees,
			'rejected_coupons' => $scratch->rejected_coupons(),
			'tax_minor'        => max( 0, $rest_minor ),
			'total_minor'      => $total_minor,
		);
	}

	/**
	 * What coupons and negative fees take off.
	 *
	 * @param Scratch_Cart $scratch       The cart.
	 * @param bool         $including_tax Whether the cart shows prices with tax.
	 * @return array<int, array<string, mixed>>
	 */
	private static function discounts( Scratch_Cart $scratch, bool $including_tax ): array {
		$currency  = $scratch->question->currency;
		$discounts = array();
		foreach ( $scratch->cart->get_applied_coupons() as $code ) {
			$amount      = $scratch->cart->get_coupon_discount_amount( $code, ! $including_tax );
			$discounts[] = self::discount( (string) $code, (string) $code, Money::minor( $amount, $currency ) );
		}
		foreach ( $scratch->cart->get_fees() as $fee ) {
			$amount = (float) $fee->total + ( $including_tax ? (float) $fee->tax : 0.0 );
			if ( $amount < 0 ) {
				$discounts[] = self::discount( null, Plain_Text::of( (string) $fee->name ), Money::minor( -$amount, $currency ) );
			}
		}
		return array_values( array_filter( $discounts, static fn( array $discount ): bool => $discount['amount_minor'] > 0 ) );
	}

	/**
	 * What plugins add to the cart.
	 *
	 * @param Scratch_Cart $scratch       The cart.
	 * @param bool         $including_tax Whether the cart shows prices with tax.
	 * @return array<int, array{title: string, amount_minor: int}>
	 */
	private static function fees( Scratch_Cart $scratch, bool $including_tax ): array {
		$fees = array();
		foreach ( $scratch->cart->get_fees() as $fee ) {
			$minor = Money::minor( (float) $fee->total + ( $including_tax ? (float) $fee->tax : 0.0 ), $scratch->question->currency );
			$title = mb_substr( Plain_Text::of( (string) $fee->name ), 0, self::TITLE_CHARS_MAX, 'UTF-8' );
			if ( $minor > 0 && count( $fees ) < self::FEES_MAX ) {
				$fees[] = array(
					'title'        => '' === $title ? __( 'Fee', 'gatehouse' ) : $title,
					'amount_minor' => $minor,
				);
			}
		}
		return $fees;
	}

	/**
	 * One discount.
	 *
	 * @param string|null $code         Code of the coupon.
	 * @param string      $title        What to show.
	 * @param int         $amount_minor Minor units.
	 * @return array<string, mixed>
	 */
	private static function discount( ?string $code, string $title, int $amount_minor ): array {
		return array(
			'code'         => $code,
			'title'        => '' === $title ? __( 'Discount', 'gatehouse' ) : mb_substr( $title, 0, self::TITLE_CHARS_MAX, 'UTF-8' ),
			'amount_minor' => $amount_minor,
		);
	}
}
