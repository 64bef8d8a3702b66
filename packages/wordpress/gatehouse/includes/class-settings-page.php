<?php
/**
 * The page Settings → Gatehouse.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

use Gatehouse\WooCommerce\Shop;
use Gatehouse\WooCommerce\Shop_Connection;

defined( 'ABSPATH' ) || exit;

/**
 * Shows the connection, and the forms that change it.
 */
final class Settings_Page {
	public const SLUG       = 'gatehouse';
	public const CAPABILITY = 'manage_options';

	/**
	 * Adds the page to the menu.
	 */
	public static function add(): void {
		add_options_page( 'Gatehouse', 'Gatehouse', self::CAPABILITY, self::SLUG, array( self::class, 'show' ) );
	}

	/**
	 * Adds a link to the list of plugins.
	 *
	 * @param array<string|int, string> $links Links of the plugin.
	 * @return array<string|int, string>
	 */
	public static function add_link( array $links ): array {
		$link = '<a href="' . esc_url( self::address() ) . '">' . esc_html__( 'Settings', 'gatehouse' ) . '</a>';
		return array_merge( array( $link ), $links );
	}

	/**
	 * Address of the page.
	 */
	public static function address(): string {
		return admin_url( 'options-general.php?page=' . self::SLUG );
	}

	/**
	 * Shows the page.
	 */
	public static function show(): void {
		if ( ! current_user_can( self::CAPABILITY ) ) {
			return;
		}
		$settings = Settings::current();
		echo '<div class="wrap"><h1>Gatehouse</h1>';
		if ( null === $settings || ! $settings->has_shop() ) {
			self::show_connect( $settings );
		}
		if ( null !== $settings ) {
			Connection_Panel::show( $settings );
			self::show_documents( $settings );
		}
		self::show_form( $settings );
		if ( null !== $settings ) {
			self::show_disconnect( $settings );
		}
		echo '</div>';
	}

	/**
	 * Shows the two easy ways to connect.
	 *
	 * @param Settings|null $settings The connection for documents and visits; null if there is none.
	 */
	private static function show_connect( ?Settings $settings ): void {
		$words = null === $settings
			? __( 'Connect this site with your Gatehouse. AI agents then find your documents on your own domain, you see who visits, and agents can buy from your WooCommerce shop by your rules. Nothing is loaded or sent before you connect.', 'gatehouse' )
			: __( 'Documents and visits of this site are connected.', 'gatehouse' );
		if ( null !== $settings && Shop::is_active() ) {
			$words .= ' ' . __( 'Connect your shop too, so that agents can buy from it.', 'gatehouse' );
		}
		echo '<p>' . esc_html( $words ) . '</p>';
		if ( Shop::is_outdated() ) {
			Settings_Form::problem( Shop::problem() );
		}
		echo '<h2>' . esc_html__( 'Connect with a code', 'gatehouse' ) . '</h2>';
		Settings_Form::question( 'connect_code', __( 'Code from the console', 'gatehouse' ), __( 'In the Gatehouse console, open Settings → Shop system and choose “Connect a shop” or “Replace the connection”. The code begins with ghc_ and works once.', 'gatehouse' ), __( 'Connect', 'gatehouse' ) );
		echo '<h2>' . esc_html__( 'Or connect in the console', 'gatehouse' ) . '</h2>';
		Settings_Form::question( 'connect_there', __( 'Address of Gatehouse', 'gatehouse' ), __( 'Such as https://gate.example.com. You sign in there, agree, and come back to this page.', 'gatehouse' ), __( 'Connect with Gatehouse', 'gatehouse' ) );
	}

	/**
	 * Shows the documents.
	 *
	 * @param Settings $settings The connection.
	 */
	private static function show_documents( Settings $settings ): void {
		echo '<h2>' . esc_html__( 'Documents', 'gatehouse' ) . '</h2>';
		echo '<p><a href="' . esc_url( home_url( '/agent' ) ) . '">' . esc_html__( 'Open your agent page', 'gatehouse' ) . '</a></p>';
		Settings_Form::open_table( array( __( 'Document', 'gatehouse' ), __( 'Format', 'gatehouse' ), __( 'Last refresh', 'gatehouse' ), __( 'Status', 'gatehouse' ) ) );
		foreach ( Health::documents( $settings ) as $row ) {
			echo '<tr><td><a href="' . esc_url( home_url( $row['path'] ) ) . '">' . esc_html( $row['path'] ) . '</a></td>';
			echo '<td>' . esc_html( $row['form'] ) . '</td>';
			echo '<td>' . esc_html( Health::time_text( $row['kept_at'] ) ) . '</td>';
			echo '<td>' . esc_html( $row['state'] ) . '</td></tr>';
		}
		echo '</tbody></table>';
		Settings_Form::button( 'refresh', __( 'Refresh documents now', 'gatehouse' ) );
	}

	/**
	 * Shows the options, and the values that connect a site without a code. Secrets are not shown again.
	 *
	 * @param Settings|null $settings The connection; null if there is none.
	 */
	private static function show_form( ?Settings $settings ): void {
		if ( null === $settings ) {
			echo '<details><summary>' . esc_html__( 'Advanced: connect without a code', 'gatehouse' ) . '</summary>';
		}
		echo '<h2>' . esc_html__( 'Options', 'gatehouse' ) . '</h2>';
		Settings_Form::open( 'connect' );
		echo '<table class="form-table" role="presentation">';
		$captures = $settings->capture ?? true;
		if ( Shop_Connection::is_wanted() ) {
			Settings_Form::box( 'capture', __( 'Capture the payment when I complete the order.', 'gatehouse' ), $captures );
		} elseif ( $captures ) {
			// Stays as it is, for a shop that is added later.
			echo '<input type="hidden" name="capture" value="1">';
		}
		Settings_Form::box( 'embed', __( 'Load the Gatehouse script on every page. It reports visits of people.', 'gatehouse' ), $settings->embed ?? true );
		Settings_Form::box( 'agents_only', __( 'Let the plugin report only visits of agents. The script already counts people.', 'gatehouse' ), $settings->agents_only ?? true );
		Settings_Form::field( 'except', __( 'Paths you serve yourself', 'gatehouse' ), implode( ', ', $settings->except ?? array() ), '/llms.txt, /agent' );
		echo '</table>';
		if ( null === $settings ) {
			self::show_values( $settings );
		} else {
			echo '<details><summary>' . esc_html__( 'Advanced', 'gatehouse' ) . '</summary>';
			self::show_values( $settings );
			echo '</details>';
		}
		submit_button( null === $settings ? __( 'Connect without a code', 'gatehouse' ) : __( 'Save changes', 'gatehouse' ) );
		echo '</form>' . ( null === $settings ? '</details>' : '' );
	}

	/**
	 * Shows the values that connect a site only for documents and visits.
	 *
	 * @param Settings|null $settings The connection; null if there is none.
	 */
	private static function show_values( ?Settings $settings ): void {
		$kept  = __( 'Leave empty to keep the current one.', 'gatehouse' );
		$token = true !== $settings?->reports ? __( 'Begins with ghe_. Visits are reported with it.', 'gatehouse' ) : $kept;
		echo '<p>' . esc_html__( 'These values connect the site for documents and visits, without products and orders. A code from the console sets them all.', 'gatehouse' ) . '</p>';
		echo '<table class="form-table" role="presentation">';
		Settings_Form::field( 'gatehouse', __( 'Address of Gatehouse', 'gatehouse' ), $settings->gatehouse ?? '', 'https://gate.example.com' );
		Settings_Form::field( 'site_key', __( 'Site key', 'gatehouse' ), $settings->site_key ?? '', __( 'Begins with us_. See Settings → Site in the console.', 'gatehouse' ) );
		Settings_Form::field( 'edge_token', __( 'Edge token', 'gatehouse' ), '', $token, 'password' );
		Settings_Form::field( 'verification', __( 'Verification token', 'gatehouse' ), $settings->verification ?? '', __( 'Optional. Gatehouse looks for it on your site to verify your domain.', 'gatehouse' ) );
		echo '</table>';
	}

	/**
	 * Shows how to end the connection.
	 *
	 * @param Settings $settings The connection.
	 */
	private static function show_disconnect( Settings $settings ): void {
		echo '<h2>' . esc_html__( 'Disconnect', 'gatehouse' ) . '</h2>';
		$effects = array( __( 'Your documents and the Gatehouse script are removed from your site, and all settings of the plugin are deleted.', 'gatehouse' ) );
		if ( $settings->has_shop() && Shop_Connection::is_wanted() ) {
			$effects[] = __( 'Test orders are deleted, and their stock is returned. Your other WooCommerce orders stay.', 'gatehouse' );
			$effects[] = __( 'Gatehouse pauses the products of this shop until you connect it again or put them on sale in the console. Orders of agents no longer arrive here.', 'gatehouse' );
		}
		echo '<p>' . esc_html__( 'If you disconnect:', 'gatehouse' ) . '</p><ul class="ul-disc">';
		foreach ( $effects as $effect ) {
			echo '<li>' . esc_html( $effect ) . '</li>';
		}
		echo '</ul>';
		Settings_Form::open( 'disconnect' );
		echo '<p><label><input type="checkbox" name="confirm" value="1" required> ' . esc_html__( 'Yes, disconnect this site.', 'gatehouse' ) . '</label></p>';
		submit_button( __( 'Disconnect', 'gatehouse' ), 'delete' );
		echo '</form>';
	}
}
