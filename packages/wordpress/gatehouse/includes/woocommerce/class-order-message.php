<?php
/**
 * An order as Gatehouse sends it.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

defined( 'ABSPATH' ) || exit;

/**
 * The whole order, as it is now.
 */
final class Order_Message {
	private const PAYMENT_STATES = array( 'authorized', 'captured', 'released', 'lapsed' );
	private const LINES_MAX      = 500;
	private const REFUNDS_MAX    = 500;
	private const REVISION_MAX   = 1_000_000_000;

	/**
	 * Use read().
	 *
	 * @param string                           $order_id       Id at Gatehouse.
	 * @param int                              $number         Number for people.
	 * @param int                              $revision       Rises with each change.
	 * @param string                           $reservation_id Id of its reservation.
	 * @param bool                             $test           Whether it moves no money.
	 * @param string                           $currency       Code of the currency.
	 * @param array<int, array<string, mixed>> $lines          Lines.
	 * @param array<string, mixed>|null        $option         Way of delivery.
	 * @param int                              $discount_minor What was taken off.
	 * @param int                              $fee_minor      Fees.
	 * @param int                              $tax_minor      What was added.
	 * @param int                              $total_minor    What was agreed.
	 * @param array<string, string>            $buyer          Names, email and phone; empty where unknown.
	 * @param Destination|null                 $destination    Address of delivery.
	 * @param string                           $agent_id       Id of the agent.
	 * @param string                           $agent_name     Name of the agent.
	 * @param array<string, mixed>             $payment        Payment.
	 * @param array<int, array<string, mixed>> $refunds        Refunds.
	 */
	private function __construct(
		public readonly string $order_id,
		public readonly int $number,
		public readonly int $revision,
		public readonly string $reservation_id,
		public readonly bool $test,
		public readonly string $currency,
		public readonly array $lines,
		public readonly ?array $option,
		public readonly int $discount_minor,
		public readonly int $fee_minor,
		public readonly int $tax_minor,
		public readonly int $total_minor,
		public readonly array $buyer,
		public readonly ?Destination $destination,
		public readonly string $agent_id,
		public readonly string $agent_name,
		public readonly array $payment,
		public readonly array $refunds,
	) {}

	/**
	 * Reads an order.
	 *
	 * @param Fields $fields What was sent.
	 */
	public static function read( Fields $fields ): self {
		return new self(
			$fields->id( 'order_id' ),
			$fields->integer( 'number', 0, self::REVISION_MAX ),
			$fields->integer( 'revision', 0, self::REVISION_MAX ),
			$fields->id( 'reservation_id' ),
			$fields->boolean( 'test' ),
			$fields->currency( 'currency' ),
			array_map( array( self::class, 'line' ), $fields->each( 'lines', 1, self::LINES_MAX ) ),
			$fields->has( 'option' ) ? self::option( $fields->fields( 'option' ) ) : null,
			$fields->minor( 'discount_minor' ),
			$fields->has( 'fee_minor' ) ? $fields->minor( 'fee_minor' ) : 0,
			$fields->minor( 'tax_minor' ),
			$fields->minor( 'total_minor' ),
			$fields->has( 'buyer' ) ? self::buyer( $fields->fields( 'buyer' ) ) : array(),
			$fields->has( 'destination' ) ? Destination::read( $fields->fields( 'destination' ), true ) : null,
			$fields->fields( 'agent' )->text( 'id' ),
			$fields->fields( 'agent' )->text( 'name' ),
			self::payment( $fields->fields( 'payment' ) ),
			array_map( array( self::class, 'refund' ), $fields->each( 'refunds', 0, self::REFUNDS_MAX ) ),
		);
	}

	/**
	 * Whether every line is cancelled.
	 */
	public function is_cancelled(): bool {
		return array() === array_filter( $this->lines, static fn( array $line ): bool => $line['cancelled'] < $line['quantity'] );
	}

	/**
	 * Whether everything that is not cancelled is sent.
	 */
	public function is_sent(): bool {
		$waiting = array_filter( $this->lines, static fn( array $line ): bool => $line['cancelled'] + $line['sent'] < $line['quantity'] );
		return array() === $waiting && ! $this->is_cancelled();
	}

	/**
	 * The lines and the delivery, as a cart.
	 */
	public function question(): Question {
		$lines = array_map( static fn( array $line ): array => array_intersect_key( $line, array_flip( array( 'product_id', 'quantity' ) ) ), $this->lines );
		return new Question( $this->currency, $lines, $this->destination, $this->option['id'] ?? '', array() );
	}

	/**
	 * Reads a line.
	 *
	 * @param Fields $line What was sent.
	 * @return array<string, mixed>
	 */
	private static function line( Fields $line ): array {
		$quantity = $line->integer( 'quantity', 1, Question::QUANTITY_MAX );
		return array(
			'line_id'    => $line->id( 'line_id' ),
			'product_id' => $line->id( 'product_id' ),
			'title'      => $line->text( 'title' ),
			'quantity'   => $quantity,
			'cancelled'  => $line->integer( 'cancelled', 0, $quantity ),
			'sent'       => $line->integer( 'sent', 0, $quantity ),
			'unit_minor' => $line->minor( 'unit_minor' ),
		);
	}

	/**
	 * Reads a way of delivery.
	 *
	 * @param Fields $option What was sent.
	 * @return array<string, mixed>
	 */
	private static function option( Fields $option ): array {
		return array(
			'id'           => $option->id( 'id' ),
			'title'        => $option->text( 'title' ),
			'amount_minor' => $option->minor( 'amount_minor' ),
		);
	}

	/**
	 * Reads a buyer.
	 *
	 * @param Fields $buyer What was sent.
	 * @return array<string, string>
	 */
	private static function buyer( Fields $buyer ): array {
		return array(
			'email'      => $buyer->email( 'email' ),
			'first_name' => $buyer->text( 'first_name' ),
			'last_name'  => $buyer->text( 'last_name' ),
			'phone'      => $buyer->text( 'phone' ),
		);
	}

	/**
	 * Reads a payment.
	 *
	 * @param Fields $payment What was sent.
	 * @return array<string, mixed>
	 * @throws Unreadable_Message If its state is not known.
	 */
	private static function payment( Fields $payment ): array {
		if ( ! in_array( $payment->id( 'state' ), self::PAYMENT_STATES, true ) ) {
			throw new Unreadable_Message( 'payment.state: is not known.' );
		}
		return array(
			'state'          => $payment->id( 'state' ),
			'provider'       => $payment->text( 'provider' ),
			'reference'      => $payment->text( 'reference' ),
			'captured_minor' => $payment->minor( 'captured_minor' ),
		);
	}

	/**
	 * Reads a refund.
	 *
	 * @param Fields $refund What was sent.
	 * @return array<string, mixed>
	 */
	private static function refund( Fields $refund ): array {
		return array(
			'refund_id'    => $refund->id( 'refund_id' ),
			'amount_minor' => $refund->minor( 'amount_minor' ),
			'state'        => $refund->id( 'state' ),
			// A refund with an event was made in this shop.
			'is_own'       => $refund->has( 'origin_event_id' ),
		);
	}
}
