<?php
/**
 * A cart for one answer.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

defined( 'ABSPATH' ) || exit;

/**
 * WooCommerce's own cart, filled with the lines of a question. It has a session in memory and a customer who is not
 * saved, so it leaves nothing behind.
 */
final class Scratch_Cart {
	/**
	 * What WooCommerce computes with.
	 *
	 * @var \WC_Cart
	 */
	public readonly \WC_Cart $cart;

	/**
	 * For each line the key of its item in the cart, or null.
	 *
	 * @var array<int, string|null>
	 */
	private array $keys = array();

	/**
	 * For each line why it cannot be bought, or null.
	 *
	 * @var array<int, string|null>
	 */
	private array $faults = array();

	/**
	 * Ways of delivery.
	 *
	 * @var Delivery_Options
	 */
	private Delivery_Options $options;

	/**
	 * Use fill().
	 *
	 * @param Question $question What is asked.
	 */
	private function __construct( public readonly Question $question ) {
		// Otherwise the cart would keep itself in cookies and in the account of a user.
		add_filter( 'woocommerce_cart_session_initialize', '__return_false' );
		$this->cart = new \WC_Cart();
		remove_filter( 'woocommerce_cart_session_initialize', '__return_false' );
		// The totals are computed once, when everything is in the cart.
		remove_action( 'woocommerce_add_to_cart', array( $this->cart, 'calculate_totals' ), 20 );
		remove_action( 'woocommerce_applied_coupon', array( $this->cart, 'calculate_totals' ), 20 );
		remove_action( 'woocommerce_removed_coupon', array( $this->cart, 'calculate_totals' ), 20 );
		$this->cart->cart_context = 'store-api';
		$this->options            = new Delivery_Options( array() );
	}

	/**
	 * Fills a cart, and hands it to somebody. WooCommerce has its own cart back after that.
	 *
	 * @template T
	 * @param Question            $question     What is asked.
	 * @param callable( self ): T $work         What to do with the cart.
	 * @param bool                $ignore_stock Whether goods count as available that are not.
	 * @return T
	 */
	public static function fill( Question $question, callable $work, bool $ignore_stock = false ): mixed {
		require_once WC_ABSPATH . 'includes/wc-cart-functions.php';
		require_once WC_ABSPATH . 'includes/wc-notice-functions.php';
		$shop    = WC();
		$before  = array( $shop->session, $shop->customer, $shop->cart );
		$digits  = Money::digits( $question->currency );
		$coarsen = static fn( mixed $decimals ): int => min( (int) $decimals, $digits );
		$always  = static fn(): bool => true;
		try {
			// Nobody can pay fractions of the smallest coin, even where a shop shows them.
			add_filter( 'wc_get_price_decimals', $coarsen );
			if ( $ignore_stock ) {
				add_filter( 'woocommerce_product_is_in_stock', $always );
				add_filter( 'woocommerce_product_backorders_allowed', $always );
			}
			$shop->session  = new Memory_Session();
			$shop->customer = ( $question->destination ?? Destination::assumed() )->customer();
			$scratch        = new self( $question );
			$shop->cart     = $scratch->cart;
			$scratch->compute( $ignore_stock );
			return $work( $scratch );
		} finally {
			$shop->shipping()->reset_shipping();
			[ $shop->session, $shop->customer, $shop->cart ] = $before;
			remove_filter( 'wc_get_price_decimals', $coarsen );
			remove_filter( 'woocommerce_product_is_in_stock', $always );
			remove_filter( 'woocommerce_product_backorders_allowed', $always );
		}
	}

	/**
	 * Why a line cannot be bought; null if it can.
	 *
	 * @param int $line Position of the line.
	 */
	public function fault( int $line ): ?string {
		return $this->faults[ $line ];
	}

	/**
	 * Whether a line cannot be bought.
	 */
	public function has_fault(): bool {
		return array() !== array_filter( $this->faults );
	}

	/**
	 * The price of one piece of a line, as the cart shows it.
	 *
	 * @param int $line Position of the line.
	 */
	public function unit_minor( int $line ): int {
		$product = $this->cart->get_cart_item( (string) $this->keys[ $line ] )['data'];
		$price   = $this->cart->display_prices_including_tax() ? wc_get_price_including_tax( $product ) : wc_get_price_excluding_tax( $product );
		return Money::minor( $price, $this->question->currency );
	}

	/**
	 * What the cart charges.
	 */
	public function total_minor(): int {
		return Money::minor( $this->cart->get_total( 'edit' ), $this->question->currency );
	}

	/**
	 * Ways of delivery to the destination; none without one.
	 */
	public function options(): Delivery_Options {
		return $this->options;
	}

	/**
	 * Codes that the cart does not accept.
	 *
	 * @return string[]
	 */
	public function rejected_coupons(): array {
		return array_values( array_filter( $this->question->coupons, fn( string $code ): bool => ! $this->cart->has_discount( $code ) ) );
	}

	/**
	 * Fills the cart and computes its totals.
	 *
	 * @param bool $ignore_stock Whether goods count as available that are not.
	 */
	private function compute( bool $ignore_stock ): void {
		// Loads the empty cart of the session, which WooCommerce would otherwise do at the first line.
		$this->cart->get_cart();
		$stock = new Line_Check( $this->question, $ignore_stock );
		foreach ( $this->question->lines as $i => $line ) {
			$this->faults[ $i ] = $stock->fault( $line['product_id'], $line['quantity'] );
			$this->keys[ $i ]   = null === $this->faults[ $i ] ? $this->add( (int) $line['product_id'], $line['quantity'] ) : null;
			if ( null === $this->faults[ $i ] && null === $this->keys[ $i ] ) {
				$this->faults[ $i ] = 'unavailable';
			}
		}
		$this->add_coupons();
		$this->choose_option();
	}

	/**
	 * Adds a line; null if the shop or one of its plugins refuses it.
	 *
	 * @param int $product_id Id of a product or variation.
	 * @param int $quantity   How many.
	 */
	private function add( int $product_id, int $quantity ): ?string {
		$product = wc_get_product( $product_id );
		$parent  = $product->is_type( 'variation' ) ? $product->get_parent_id() : $product_id;
		$which   = $product->is_type( 'variation' ) ? array( $product_id, $product->get_variation_attributes() ) : array( 0, array() );
		// phpcs:ignore WordPress.NamingConventions.PrefixAllGlobals.NonPrefixedHooknameFound -- WooCommerce's own hook.
		if ( true !== (bool) apply_filters( 'woocommerce_add_to_cart_validation', true, $parent, $quantity, ...$which ) ) {
			return null;
		}
		$key = $this->cart->add_to_cart( $parent, $quantity, $which[0] );
		return is_string( $key ) ? $key : null;
	}

	/**
	 * Applies the coupons. Limits for single buyers cannot be checked, because a cart has no buyer, so coupons with
	 * such a limit are not accepted.
	 */
	private function add_coupons(): void {
		if ( array() === $this->question->coupons ) {
			return;
		}
		// A coupon may ask for a least amount.
		$this->without_delivery();
		foreach ( $this->question->coupons as $code ) {
			$coupon = new \WC_Coupon( wc_format_coupon_code( $code ) );
			if ( array() === $coupon->get_email_restrictions() && 0 === $coupon->get_usage_limit_per_user() ) {
				$this->cart->apply_coupon( $code );
			}
		}
	}

	/**
	 * Finds the ways of delivery, and computes the totals with the chosen one, or without any.
	 */
	private function choose_option(): void {
		WC()->session->set( 'chosen_shipping_methods', null );
		$this->without_delivery();
		if ( null === $this->question->destination ) {
			return;
		}
		$this->options = new Delivery_Options( WC()->shipping()->get_packages() );
		$chosen        = $this->options->find( $this->question->option_id );
		if ( null !== $chosen ) {
			WC()->session->set( 'chosen_shipping_methods', $chosen );
			$this->cart->calculate_totals();
		}
	}

	/**
	 * Computes the totals without a way of delivery. WooCommerce would choose one by itself.
	 */
	private function without_delivery(): void {
		add_filter( 'woocommerce_shipping_chosen_method', '__return_empty_string', PHP_INT_MAX );
		$this->cart->calculate_totals();
		remove_filter( 'woocommerce_shipping_chosen_method', '__return_empty_string', PHP_INT_MAX );
	}
}
