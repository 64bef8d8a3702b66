<?php
/**
 * What the settings page says about the connection.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

use Gatehouse\WooCommerce\Agent_View;
use Gatehouse\WooCommerce\Full_Sync;
use Gatehouse\WooCommerce\Order_Change_Queue;
use Gatehouse\WooCommerce\Product_Problems;
use Gatehouse\WooCommerce\Shop_Connection;

defined( 'ABSPATH' ) || exit;

/**
 * Shows what works and what does not, of the site and of the shop.
 */
final class Connection_Panel {
	private const CONSOLE = '/console';

	/**
	 * Shows everything.
	 *
	 * @param Settings $settings The connection.
	 */
	public static function show( Settings $settings ): void {
		$status   = $settings->has_shop() ? Connection_Status::recent( $settings ) : null;
		$problems = Health::problems( $settings );
		if ( null !== $status ) {
			array_push( $problems, ...Shop_Health::problems( $status ) );
		}
		/* translators: %s: address of Gatehouse */
		echo '<h2>' . esc_html__( 'Health', 'gatehouse' ) . '</h2><p>' . esc_html( sprintf( __( 'Connected with %s', 'gatehouse' ), $settings->gatehouse ) ) . '</p>';
		if ( array() === $problems ) {
			echo '<p>' . esc_html__( 'No problems found.', 'gatehouse' ) . '</p>';
		}
		array_map( Settings_Form::problem( ... ), $problems );
		if ( $status instanceof Connection_Status ) {
			self::show_site( $settings, $status );
		}
		if ( null !== Shop_Connection::connection() ) {
			self::show_products( $status );
			Agent_View::show_product();
			self::show_orders();
		}
		if ( $settings->reports ) {
			echo '<h2>' . esc_html__( 'Visits', 'gatehouse' ) . '</h2>';
			Last_Visits::show();
		}
		$notes = Status::all();
		echo '<p>' . esc_html__( 'Last background run:', 'gatehouse' ) . ' ' . esc_html( Health::time_text( (int) ( $notes['ran_at'] ?? 0 ) ) ) . '<br>';
		echo esc_html__( 'Last report of visits:', 'gatehouse' ) . ' ' . esc_html( Health::time_text( (int) ( $notes['reported_at'] ?? 0 ) ) ) . '</p>';
	}

	/**
	 * Shows the site as Gatehouse has it.
	 *
	 * @param Settings          $settings The connection.
	 * @param Connection_Status $status   What Gatehouse says.
	 */
	private static function show_site( Settings $settings, Connection_Status $status ): void {
		if ( Connection_Status::PENDING === $status->site ) {
			Settings_Form::button( 'verify', __( 'Verify the domain again', 'gatehouse' ) );
		}
		if ( $status->open ) {
			echo '<p>' . esc_html__( 'Agents can buy.', 'gatehouse' ) . '</p>';
		}
		echo '<p><a href="' . esc_url( $settings->gatehouse . self::CONSOLE ) . '">' . esc_html__( 'Open the Gatehouse console', 'gatehouse' ) . '</a>';
		if ( '' !== $status->agent_page ) {
			echo ' · <a href="' . esc_url( $status->agent_page ) . '">' . esc_html__( 'Open your agent page at Gatehouse', 'gatehouse' ) . '</a>';
		}
		echo '</p>';
	}

	/**
	 * Shows the products.
	 *
	 * @param Connection_Status|\WP_Error|null $status What Gatehouse says.
	 */
	private static function show_products( Connection_Status|\WP_Error|null $status ): void {
		$notes = Status::all();
		echo '<h2>' . esc_html__( 'Products', 'gatehouse' ) . '</h2><p>';
		if ( $status instanceof Connection_Status ) {
			/* translators: 1: number of products, 2: number of products */
			echo esc_html( sprintf( __( 'Listed in Gatehouse: %1$d, paused: %2$d.', 'gatehouse' ), $status->listed, $status->paused ) ) . '<br>';
		}
		$progress = Full_Sync::progress();
		if ( null !== $progress ) {
			/* translators: %s: number of products */
			echo esc_html( sprintf( _n( 'The full list is being sent. %s product was sent.', 'The full list is being sent. %s products were sent.', $progress, 'gatehouse' ), number_format_i18n( $progress ) ) ) . '<br>';
		}
		$synced = (int) ( $notes['synced'] ?? 0 );
		/* translators: 1: time, 2: number of products */
		echo esc_html( sprintf( _n( 'Last full list: %1$s, %2$d product.', 'Last full list: %1$s, %2$d products.', $synced, 'gatehouse' ), Health::time_text( (int) ( $notes['synced_at'] ?? 0 ) ), $synced ) ) . '<br>';
		/* translators: %s: time */
		echo esc_html( sprintf( __( 'Last change sent: %s.', 'gatehouse' ), Health::time_text( (int) ( $notes['pushed_at'] ?? 0 ) ) ) ) . '</p>';
		self::show_refused( Product_Problems::all() );
		Settings_Form::button( 'sync', __( 'Send all products now', 'gatehouse' ) );
	}

	/**
	 * Shows products that Gatehouse did not accept.
	 *
	 * @param array<int, string> $problems Problems by product.
	 */
	private static function show_refused( array $problems ): void {
		if ( array() === $problems ) {
			return;
		}
		Settings_Form::open_table( array( __( 'Product', 'gatehouse' ), __( 'Why Gatehouse did not accept it', 'gatehouse' ) ) );
		foreach ( $problems as $id => $problem ) {
			echo '<tr><td><a href="' . esc_url( (string) get_edit_post_link( (int) $id ) ) . '">' . esc_html( wp_strip_all_tags( get_the_title( (int) $id ) ) ) . '</a></td>';
			echo '<td>' . esc_html( $problem ) . '</td></tr>';
		}
		echo '</tbody></table>';
	}

	/**
	 * Shows the changes of orders.
	 */
	private static function show_orders(): void {
		echo '<h2>' . esc_html__( 'Orders', 'gatehouse' ) . '</h2>';
		Agent_View::show_sales();
		echo '<p>';
		$waiting = Order_Change_Queue::count();
		/* translators: %s: number of changes */
		echo esc_html( sprintf( _n( '%s change of an order waits to be sent to Gatehouse.', '%s changes of orders wait to be sent to Gatehouse.', $waiting, 'gatehouse' ), number_format_i18n( $waiting ) ) ) . '</p>';
	}
}
