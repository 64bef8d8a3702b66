<?php
/**
 * Orders that move no money.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

use Automattic\WooCommerce\Admin\API\Reports\Orders\Stats\DataStore;

defined( 'ABSPATH' ) || exit;

/**
 * Keeps orders of test purchases apart from sales: they have a status of their own, which no report counts, and are
 * deleted after a day.
 */
final class Test_Order {
	/**
	 * Neither paid nor waiting for anything: WooCommerce sends no mail about it, and old reports leave it out.
	 */
	public const STATUS = 'gatehouse-test';
	public const META   = '_gatehouse_test';

	private const KEPT_S     = DAY_IN_SECONDS;
	private const REMOVE_MAX = 100;
	/**
	 * Statuses that look like a sale.
	 */
	private const SALE = array( 'processing', 'on-hold', 'completed' );

	/**
	 * Registers what keeps them apart.
	 */
	public static function boot(): void {
		add_action( 'init', array( self::class, 'register_status' ) );
		add_filter( 'wc_order_statuses', array( self::class, 'add_status' ) );
		add_filter( 'woocommerce_order_number', array( self::class, 'mark_number' ), 10, 2 );
		add_action( 'woocommerce_analytics_update_order_stats', array( self::class, 'leave_out' ) );
		add_action( 'wc-admin_import_orders', array( self::class, 'leave_out' ), PHP_INT_MAX );
		add_action( Shop::REMOVE_HOOK, array( self::class, 'remove_old' ) );
	}

	/**
	 * Whether new test orders are kept apart.
	 */
	public static function are_apart(): bool {
		/**
		 * Whether test orders are kept apart from sales. For a shop that is itself a test, such as a staging site.
		 *
		 * @param bool $apart Whether they are; true.
		 */
		return (bool) apply_filters( 'gatehouse_keep_tests_apart', true );
	}

	/**
	 * Whether something is an order that moves no money, or a refund of one.
	 *
	 * @param mixed $order An order, a refund, or anything else.
	 */
	public static function is( mixed $order ): bool {
		$whole = $order instanceof \WC_Order_Refund ? wc_get_order( $order->get_parent_id() ) : $order;
		return Order::is_own( $whole ) && 'yes' === $whole->get_meta( self::META );
	}

	/**
	 * Registers the status.
	 */
	public static function register_status(): void {
		register_post_status(
			'wc-' . self::STATUS,
			array(
				'label'                     => __( 'Gatehouse test', 'gatehouse' ),
				'public'                    => false,
				'exclude_from_search'       => false,
				'show_in_admin_all_list'    => true,
				'show_in_admin_status_list' => true,
				/* translators: %s: number of orders */
				'label_count'               => _n_noop( 'Gatehouse test <span class="count">(%s)</span>', 'Gatehouse test <span class="count">(%s)</span>', 'gatehouse' ),
			)
		);
	}

	/**
	 * Adds the status to those of WooCommerce.
	 *
	 * @param mixed $statuses Names by status.
	 * @return mixed
	 */
	public static function add_status( mixed $statuses ): mixed {
		return is_array( $statuses ) ? $statuses + array( 'wc-' . self::STATUS => __( 'Gatehouse test', 'gatehouse' ) ) : $statuses;
	}

	/**
	 * Says in the number of an order that it is a test, wherever it is shown.
	 *
	 * @param mixed $number The number.
	 * @param mixed $order  The order.
	 * @return mixed
	 */
	public static function mark_number( mixed $number, mixed $order ): mixed {
		/* translators: %s: number of the order */
		return self::is( $order ) ? sprintf( __( '%s (test)', 'gatehouse' ), (string) $number ) : $number;
	}

	/**
	 * Removes a test order from the reports, after WooCommerce has added it.
	 *
	 * @param mixed $id Id of the order or refund.
	 */
	public static function leave_out( mixed $id ): void {
		if ( self::is( wc_get_order( $id ) ) ) {
			DataStore::delete_order( $id );
		}
	}

	/**
	 * Gives a new test order its status. Its stock is reduced as for a sale, so that everything can be tried.
	 *
	 * @param \WC_Order $order The order.
	 */
	public static function begin( \WC_Order $order ): void {
		$order->update_status( self::STATUS );
		wc_maybe_reduce_stock_levels( $order->get_id() );
		wc_release_stock_for_order( $order->get_id() );
	}

	/**
	 * Notes that everything was sent.
	 *
	 * @param \WC_Order $order The order.
	 */
	public static function note_sent( \WC_Order $order ): void {
		if ( ! $order->has_status( self::STATUS ) || null !== $order->get_date_completed() ) {
			return;
		}
		$order->set_date_completed( time() );
		$order->save();
		$order->add_order_note( __( 'Marked as sent in Gatehouse.', 'gatehouse' ) );
	}

	/**
	 * Gives a test order its own status back, after somebody has given it one of a sale.
	 *
	 * @param \WC_Order $order  The order.
	 * @param string    $status Its new status.
	 */
	public static function keep_apart( \WC_Order $order, string $status ): void {
		if ( self::is( $order ) && in_array( $status, self::SALE, true ) ) {
			$order->update_status( self::STATUS, __( 'This is a test order. It keeps its own status, so that no report counts it as a sale.', 'gatehouse' ) );
		}
	}

	/**
	 * Deletes test orders that are older than a day.
	 */
	public static function remove_old(): void {
		self::remove( time() - self::KEPT_S );
	}

	/**
	 * Deletes all of them, when the shop is disconnected.
	 */
	public static function remove_all(): void {
		if ( Shop::is_ready() ) {
			self::remove( time() );
		}
	}

	/**
	 * Deletes test orders, and returns their stock.
	 *
	 * @param int $until Seconds: those that were made until then.
	 */
	private static function remove( int $until ): void {
		while ( self::remove_some( $until ) >= self::REMOVE_MAX ) {
			continue;
		}
	}

	/**
	 * Deletes some of them. A copy that somebody has made of one is theirs.
	 *
	 * @param int $until Seconds: those that were made until then.
	 * @return int How many were deleted.
	 */
	private static function remove_some( int $until ): int {
		$orders = wc_get_orders(
			array(
				'type'         => 'shop_order',
				'limit'        => self::REMOVE_MAX,
				'created_via'  => Draft_Order::CREATED_VIA,
				'status'       => array( ...array_keys( wc_get_order_statuses() ), 'trash' ),
				'date_created' => '<=' . $until,
				// phpcs:ignore WordPress.DB.SlowDBQuery -- WooCommerce has an index for it, and this is rare.
				'meta_key'     => self::META,
				// phpcs:ignore WordPress.DB.SlowDBQuery -- as above.
				'meta_value'   => 'yes',
			)
		);
		$own = array_filter( $orders, array( self::class, 'is' ) );
		foreach ( $own as $order ) {
			wc_maybe_increase_stock_levels( $order->get_id() );
			wc_get_order( $order->get_id() )->delete( true );
		}
		return count( $own );
	}
}
