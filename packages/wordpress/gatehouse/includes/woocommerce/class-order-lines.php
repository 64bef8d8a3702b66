<?php
/**
 * The lines of an order.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

defined( 'ABSPATH' ) || exit;

/**
 * Compares an order of the shop with what was agreed, and writes lines where the shop's own do not fit.
 */
final class Order_Lines {
	/**
	 * A draft with the agreed amounts. Taxes are not known separately, so a person must look at it.
	 *
	 * @param Order_Message $message The order at Gatehouse.
	 */
	public static function as_agreed( Order_Message $message ): \WC_Order {
		$order   = Draft_Order::blank( $message->currency );
		$decimal = static fn( int $minor ): string => Money::decimal( $minor, $message->currency );
		foreach ( $message->lines as $line ) {
			$product = ctype_digit( $line['product_id'] ) ? wc_get_product( (int) $line['product_id'] ) : null;
			$item    = new \WC_Order_Item_Product();
			if ( $product instanceof \WC_Product ) {
				$item->set_product( $product );
			}
			$item->set_name( $line['title'] );
			$item->set_quantity( $line['quantity'] );
			$item->set_subtotal( $decimal( $line['quantity'] * $line['unit_minor'] ) );
			$item->set_total( $decimal( $line['quantity'] * $line['unit_minor'] ) );
			$order->add_item( $item );
		}
		if ( null !== $message->option ) {
			$delivery = new \WC_Order_Item_Shipping();
			$delivery->set_method_title( $message->option['title'] );
			$delivery->set_total( $decimal( $message->option['amount_minor'] ) );
			$order->add_item( $delivery );
			$order->set_shipping_total( $decimal( $message->option['amount_minor'] ) );
		}
		$fees = array(
			array( __( 'Discount', 'gatehouse' ), -$message->discount_minor ),
			array( __( 'Fees', 'gatehouse' ), $message->fee_minor ),
			array( __( 'Tax', 'gatehouse' ), $message->tax_minor ),
		);
		foreach ( $fees as [ $name, $minor ] ) {
			if ( 0 !== $minor ) {
				$fee = new \WC_Order_Item_Fee();
				$fee->set_name( $name );
				$fee->set_tax_status( 'none' );
				$fee->set_total( $decimal( $minor ) );
				$order->add_item( $fee );
			}
		}
		$order->set_total( $decimal( $message->total_minor ) );
		$order->save();
		return $order;
	}

	/**
	 * Marks each item with its lines of Gatehouse.
	 *
	 * @param \WC_Order     $order   The shop's order.
	 * @param Order_Message $message The order at Gatehouse.
	 */
	public static function mark( \WC_Order $order, Order_Message $message ): void {
		foreach ( $order->get_items() as $item ) {
			foreach ( $message->lines as $line ) {
				if ( self::product_id( $item ) === $line['product_id'] ) {
					$item->add_meta_data( Order::META_LINE, $line['line_id'] );
				}
			}
		}
	}

	/**
	 * What a person must look at.
	 *
	 * @param \WC_Order     $order   The shop's order.
	 * @param Order_Message $message The order at Gatehouse.
	 * @return string[]
	 */
	public static function problems( \WC_Order $order, Order_Message $message ): array {
		$problems = array();
		if ( self::quantities( $order ) !== self::agreed_quantities( $message ) ) {
			$problems[] = __( 'The products of this order differ from those in Gatehouse.', 'gatehouse' );
		}
		$total_minor = Money::minor( $order->get_total( 'edit' ), $message->currency );
		if ( $order->get_currency() !== $message->currency || $total_minor !== $message->total_minor ) {
			/* translators: 1: amount of the lines, 2: amount of the payment */
			$problems[] = sprintf( __( 'The lines of this order cost %1$s, but the buyer pays %2$s.', 'gatehouse' ), Money::shown( $total_minor, $order->get_currency() ), Money::shown( $message->total_minor, $message->currency ) );
		}
		return $problems;
	}

	/**
	 * Quantities of the shop's order by product.
	 *
	 * @param \WC_Order $order The order.
	 * @return array<string, int>
	 */
	private static function quantities( \WC_Order $order ): array {
		$quantities = array();
		foreach ( $order->get_items() as $item ) {
			$id = self::product_id( $item );

			$quantities[ $id ] = ( $quantities[ $id ] ?? 0 ) + (int) $item->get_quantity();
		}
		ksort( $quantities );
		return $quantities;
	}

	/**
	 * Quantities of Gatehouse's order by product.
	 *
	 * @param Order_Message $message The order.
	 * @return array<string, int>
	 */
	private static function agreed_quantities( Order_Message $message ): array {
		$quantities = array();
		foreach ( $message->lines as $line ) {
			$quantities[ $line['product_id'] ] = ( $quantities[ $line['product_id'] ] ?? 0 ) + $line['quantity'];
		}
		ksort( $quantities );
		return $quantities;
	}

	/**
	 * Id of the product or variation of an item, as Gatehouse has it.
	 *
	 * @param \WC_Order_Item_Product $item An item.
	 */
	private static function product_id( \WC_Order_Item_Product $item ): string {
		return (string) ( $item->get_variation_id() ? $item->get_variation_id() : $item->get_product_id() );
	}
}
