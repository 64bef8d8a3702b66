<?php
/**
 * Changes of orders that Gatehouse refused.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

use Gatehouse\Settings_Page;

defined( 'ABSPATH' ) || exit;

/**
 * Shows refused changes where orders are managed, until somebody dismisses them.
 */
final class Order_Notices {
	public const OPTION       = 'gatehouse_order_notices';
	private const CAPABILITY  = 'edit_shop_orders';
	private const NOTICES_MAX = 20;
	/**
	 * Pages that show notices.
	 */
	private const SCREENS = array( 'woocommerce_page_wc-orders', 'edit-shop_order', 'shop_order', 'settings_page_' . Settings_Page::SLUG );

	/**
	 * Keeps a notice. The newest ones stay.
	 *
	 * @param \WC_Order            $order  The order.
	 * @param array<string, mixed> $change The change that was not done.
	 * @param string               $note   Note of the order, as HTML.
	 */
	public static function add( \WC_Order $order, array $change, string $note ): void {
		$notices   = self::all();
		$notices[] = array(
			'order'  => $order->get_id(),
			'change' => self::name( $change ),
			'note'   => $note,
		);
		update_option( self::OPTION, array_slice( $notices, -self::NOTICES_MAX ), false );
	}

	/**
	 * Removes the oldest notice about a change, after the same was done later.
	 *
	 * @param \WC_Order            $order  The order.
	 * @param array<string, mixed> $change The change that is done.
	 */
	public static function settle( \WC_Order $order, array $change ): void {
		$notices = self::all();
		foreach ( $notices as $at => $notice ) {
			if ( $order->get_id() === $notice['order'] && self::name( $change ) === ( $notice['change'] ?? '' ) ) {
				unset( $notices[ $at ] );
				update_option( self::OPTION, array_values( $notices ), false );
				return;
			}
		}
	}

	/**
	 * What a change does: its kind, and the amount of a refund.
	 *
	 * @param array<string, mixed> $change Its fields.
	 */
	private static function name( array $change ): string {
		return $change['kind'] . ( isset( $change['amount_minor'] ) ? ':' . $change['amount_minor'] : '' );
	}

	/**
	 * Shows the notices.
	 */
	public static function show(): void {
		$screen = get_current_screen();
		if ( null === $screen || ! in_array( $screen->id, self::SCREENS, true ) || ! current_user_can( self::CAPABILITY ) ) {
			return;
		}
		foreach ( self::all() as $notice ) {
			$order = function_exists( 'wc_get_order' ) ? wc_get_order( (int) $notice['order'] ) : false;
			if ( ! $order instanceof \WC_Order ) {
				continue;
			}
			/* translators: %s: number of the order */
			$title = sprintf( __( 'Order %s', 'gatehouse' ), $order->get_order_number() );
			echo '<div class="notice notice-error"><p><a href="' . esc_url( $order->get_edit_order_url() ) . '">' . esc_html( $title ) . '</a>: ';
			echo wp_kses( $notice['note'], array() ) . '</p></div>';
		}
		if ( array() !== self::all() ) {
			self::show_dismiss();
		}
	}

	/**
	 * Deletes all notices, on request of somebody who manages orders.
	 */
	public static function dismiss(): never {
		if ( ! current_user_can( self::CAPABILITY ) ) {
			wp_die( esc_html__( 'You are not allowed to dismiss these messages.', 'gatehouse' ), '', array( 'response' => 403 ) );
		}
		check_admin_referer( 'gatehouse_dismiss' );
		delete_option( self::OPTION );
		$back = wp_get_referer();
		wp_safe_redirect( false === $back ? admin_url() : $back );
		exit;
	}

	/**
	 * Shows the button that deletes them.
	 */
	private static function show_dismiss(): void {
		echo '<div class="notice notice-error"><form method="post" action="' . esc_url( admin_url( 'admin-post.php' ) ) . '"><p>';
		echo '<input type="hidden" name="action" value="gatehouse_dismiss">';
		wp_nonce_field( 'gatehouse_dismiss' );
		echo '<button class="button">' . esc_html__( 'Dismiss these messages of Gatehouse', 'gatehouse' ) . '</button></p></form></div>';
	}

	/**
	 * All notices.
	 *
	 * @return array<int, array{order: int, note: string}>
	 */
	private static function all(): array {
		$kept = get_option( self::OPTION, array() );
		return is_array( $kept ) ? $kept : array();
	}
}
