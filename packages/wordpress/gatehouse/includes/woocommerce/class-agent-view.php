<?php
/**
 * The shop as agents see it.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

use Gatehouse\Settings_Form;

defined( 'ABSPATH' ) || exit;

/**
 * Shows one product with the fields that agents get, and what agents have bought.
 */
final class Agent_View {
	/**
	 * Products that are tried until one is listed.
	 */
	private const PRODUCTS_MAX = 10;
	private const DAYS         = 30;
	/**
	 * Orders that are added up, the newest first.
	 */
	private const ORDERS_MAX = 200;

	/**
	 * Shows the newest product that agents can find.
	 */
	public static function show_product(): void {
		$entry = self::example();
		echo '<h2>' . esc_html__( 'What agents see', 'gatehouse' ) . '</h2>';
		if ( null === $entry ) {
			echo '<p>' . esc_html__( 'Agents find none of your newest products. A product must be published, visible in the catalog, and have a price.', 'gatehouse' ) . '</p>';
			return;
		}
		echo '<p>' . esc_html__( 'Your newest product, with everything that agents get about it:', 'gatehouse' ) . '</p>';
		Settings_Form::open_table( array( __( 'Field', 'gatehouse' ), __( 'Value', 'gatehouse' ) ) );
		foreach ( self::labels() as $name => $label ) {
			if ( isset( $entry[ $name ] ) ) {
				echo '<tr><td>' . esc_html( $label ) . '</td><td>' . esc_html( self::value( $name, $entry ) ) . '</td></tr>';
			}
		}
		echo '</tbody></table>';
	}

	/**
	 * Shows how many orders agents have placed, and for how much.
	 */
	public static function show_sales(): void {
		$orders = self::orders();
		$sum    = 0.0;
		foreach ( $orders as $order ) {
			$sum += (float) $order->get_total() - (float) $order->get_total_refunded();
		}
		$count  = count( $orders );
		$amount = html_entity_decode( wp_strip_all_tags( wc_price( $sum ) ), ENT_QUOTES, 'UTF-8' );
		/* translators: 1: number of orders, 2: amount of money, 3: number of days */
		$words = _n( 'Agents placed %1$s paid order in the last %3$d days: %2$s after refunds.', 'Agents placed %1$s paid orders in the last %3$d days: %2$s after refunds.', $count, 'gatehouse' );
		echo '<p>' . esc_html( sprintf( $words, number_format_i18n( $count ), $amount, self::DAYS ) );
		if ( self::ORDERS_MAX === $count ) {
			echo ' ' . esc_html__( 'There may be more: only the newest ones are counted here. The console lists every order.', 'gatehouse' );
		}
		echo '</p>';
	}

	/**
	 * Names of the fields.
	 *
	 * @return array<string, string>
	 */
	private static function labels(): array {
		return array(
			'title'        => __( 'Title', 'gatehouse' ),
			'description'  => __( 'Description', 'gatehouse' ),
			'price'        => __( 'Price', 'gatehouse' ),
			'sale_price'   => __( 'Sale price', 'gatehouse' ),
			'availability' => __( 'Availability', 'gatehouse' ),
			'quantity'     => __( 'Quantity', 'gatehouse' ),
			'url'          => __( 'Link', 'gatehouse' ),
			'image_url'    => __( 'Image', 'gatehouse' ),
			'brand'        => __( 'Brand', 'gatehouse' ),
			'gtin'         => __( 'GTIN', 'gatehouse' ),
			'sku'          => __( 'SKU', 'gatehouse' ),
			'category'     => __( 'Category', 'gatehouse' ),
			'options'      => __( 'Variation', 'gatehouse' ),
			'id'           => __( 'Id', 'gatehouse' ),
		);
	}

	/**
	 * A field in words.
	 *
	 * @param string               $name  Name of the field.
	 * @param array<string, mixed> $entry The product.
	 */
	private static function value( string $name, array $entry ): string {
		return match ( $name ) {
			'price',
			'sale_price'   => $entry[ $name ] . ' ' . $entry['currency'],
			'options'      => implode( ', ', $entry['options'] ),
			'availability' => match ( $entry['availability'] ) {
				'in_stock'  => __( 'in stock', 'gatehouse' ),
				'backorder' => __( 'on back-order', 'gatehouse' ),
				default     => __( 'sold out', 'gatehouse' ),
			},
			default        => (string) $entry[ $name ],
		};
	}

	/**
	 * The newest product that agents can find; null if there is none among the newest.
	 *
	 * @return array<string, mixed>|null
	 */
	private static function example(): ?array {
		$query = array(
			'status'  => 'publish',
			'type'    => array( 'simple', 'variation' ),
			'orderby' => 'ID',
			'order'   => 'DESC',
			'limit'   => self::PRODUCTS_MAX,
			'return'  => 'ids',
		);
		foreach ( wc_get_products( $query ) as $id ) {
			$entry = Product_Entry::of( (int) $id );
			if ( null !== $entry ) {
				return $entry;
			}
		}
		return null;
	}

	/**
	 * Paid orders of agents, in the currency of the shop. Test orders are none.
	 *
	 * @return \WC_Order[]
	 */
	private static function orders(): array {
		return wc_get_orders(
			array(
				'created_via'  => Draft_Order::CREATED_VIA,
				'status'       => wc_get_is_paid_statuses(),
				'currency'     => get_woocommerce_currency(),
				'date_created' => '>' . ( time() - self::DAYS * DAY_IN_SECONDS ),
				'type'         => 'shop_order',
				'limit'        => self::ORDERS_MAX,
			)
		);
	}
}
