<?php
/**
 * Reserving goods.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

defined( 'ABSPATH' ) || exit;

/**
 * Holds goods for a while, at a price that is computed again.
 */
final class Reserve {
	private const OUT_OF_STOCK  = 'out_of_stock';
	private const PRICE_CHANGED = 'price_changed';
	private const CLOSED        = 'closed';
	/**
	 * Nobody holds goods for longer without asking again.
	 */
	private const HOLD_S_MAX = 3 * HOUR_IN_SECONDS;

	/**
	 * Use answer().
	 *
	 * @param string   $id          Id of the reservation.
	 * @param int      $seconds     How long to hold the goods.
	 * @param int      $total_minor What the buyer has agreed to pay.
	 * @param Question $question    The cart.
	 */
	private function __construct(
		private readonly string $id,
		private readonly int $seconds,
		private readonly int $total_minor,
		private readonly Question $question,
	) {}

	/**
	 * Answers a message of the type reserve.
	 *
	 * @param Fields $fields What was sent.
	 * @return array<string, string>
	 */
	public static function answer( Fields $fields ): array {
		$reserve = new self(
			$fields->id( 'reservation_id' ),
			min( self::HOLD_S_MAX, $fields->integer( 'expires_in_s', 1, DAY_IN_SECONDS ) ),
			$fields->minor( 'total_minor' ),
			Question::read( $fields ),
		);
		$refusal = Reservations::lock( $reserve->id, array( $reserve, 'run' ) );
		$answer  = array(
			'type'  => 'reserve.answer',
			'state' => null === $refusal ? 'reserved' : 'refused',
		);
		return null === $refusal ? $answer : array_merge( $answer, array( 'reason' => $refusal ) );
	}

	/**
	 * Reserves, or extends the time.
	 *
	 * @return string|null Why not; null if it is reserved.
	 * @throws Busy If this took so long that another request works with the reservation now.
	 */
	public function run(): ?string {
		$known = Reservations::find( $this->id );
		if ( null !== $known && Reservations::RESERVED !== $known['state'] ) {
			return self::CLOSED;
		}
		$draft = null === $known ? null : Draft_Order::find( $known['shop_order_id'] );
		if ( null !== $draft ) {
			// WooCommerce removes drafts that have not changed for a day.
			$draft->set_date_modified( time() );
			$draft->save();
			Reservations::go_on();
			return $this->hold( $draft );
		}
		return Scratch_Cart::fill( $this->question, array( $this, 'reserve' ) );
	}

	/**
	 * Reserves what is in the cart.
	 *
	 * @param Scratch_Cart $scratch The cart.
	 * @return string|null Why not; null if it is reserved.
	 * @throws Busy If this took so long that another request works with the reservation now.
	 */
	public function reserve( Scratch_Cart $scratch ): ?string {
		if ( $scratch->has_fault() ) {
			return self::OUT_OF_STOCK;
		}
		if ( $this->total_minor !== $scratch->total_minor() || array() !== $scratch->rejected_coupons() ) {
			return self::PRICE_CHANGED;
		}
		$draft = Draft_Order::create( $scratch );
		try {
			$draft->hold_applied_coupons( '' );
		} catch ( \Exception ) {
			// Somebody else has used the coupon for the last time.
			Draft_Order::remove( $draft->get_id() );
			return self::PRICE_CHANGED;
		}
		try {
			Reservations::go_on();
		} catch ( Busy $busy ) {
			// Gatehouse did not wait that long, so it may have released the reservation. Nobody knows this draft.
			Draft_Order::remove( $draft->get_id() );
			throw $busy;
		}
		return $this->hold( $draft );
	}

	/**
	 * Holds the stock of a draft. If it is not there, nothing of the reservation is left.
	 *
	 * @param \WC_Order $draft The draft.
	 * @return string|null Why not; null if it is reserved.
	 */
	private function hold( \WC_Order $draft ): ?string {
		// A late order is made of the draft, so it is kept longer than the stock is held.
		Reservations::keep( $this->id, Reservations::RESERVED, $draft->get_id(), time() + $this->seconds + DAY_IN_SECONDS );
		if ( Draft_Order::hold_stock( $draft, (int) ceil( $this->seconds / MINUTE_IN_SECONDS ) ) ) {
			return null;
		}
		Draft_Order::remove( $draft->get_id() );
		Reservations::remove( $this->id );
		return self::OUT_OF_STOCK;
	}
}
