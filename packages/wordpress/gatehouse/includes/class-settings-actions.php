<?php
/**
 * What the forms of the settings page do.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

use Gatehouse\WooCommerce\Full_Sync;
use Gatehouse\WooCommerce\Shop_Connection;

defined( 'ABSPATH' ) || exit;

/**
 * Handles the forms: each needs the right to manage options, and the nonce of its form.
 */
final class Settings_Actions {
	public const NAMES = array( 'connect', 'connect_code', 'connect_there', 'verify', 'sync', 'refresh', 'disconnect' );

	/**
	 * Connects, or changes the connection.
	 */
	public static function connect(): never {
		self::require_permission( 'gatehouse_connect' );
		$input = array(
			'embed'       => self::field( 'embed' ) !== '',
			'agents_only' => self::field( 'agents_only' ) !== '',
			'capture'     => self::field( 'capture' ) !== '',
		);
		foreach ( array( 'gatehouse', 'site_key', 'edge_token', 'verification', 'except' ) as $name ) {
			$input[ $name ] = self::field( $name );
		}
		$before = Settings::current();
		// A token is kept only for the place it was made for.
		if ( '' === $input['edge_token'] && null !== $before && rtrim( $input['gatehouse'], '/' ) === $before->gatehouse && $input['site_key'] === $before->site_key ) {
			$input['edge_token'] = $before->edge_token();
		}
		$result = Connection::connect( $input );
		if ( is_wp_error( $result ) ) {
			self::go_back( $result->get_error_message(), 'error' );
		}
		$is_same = null !== $before && $before->is_same_site( $result );
		self::go_back( $is_same ? __( 'Settings saved.', 'gatehouse' ) : __( 'Connected.', 'gatehouse' ), 'success' );
	}

	/**
	 * Connects by a code of the console.
	 */
	public static function connect_code(): never {
		self::require_permission( 'gatehouse_connect_code' );
		self::finish_connect( Connection::connect_by_code( Connection_Code::read( self::field( 'connect_code' ) ) ) );
	}

	/**
	 * Sends the browser to the console, where the owner agrees.
	 */
	public static function connect_there(): never {
		self::require_permission( 'gatehouse_connect_there' );
		$address = Connect_Return::begin( self::field( 'connect_there' ) );
		if ( null === $address ) {
			self::go_back( __( 'Enter the address of Gatehouse. It must begin with https://.', 'gatehouse' ), 'error' );
		}
		// phpcs:ignore WordPress.Security.SafeRedirect -- to the Gatehouse whose address the owner has just entered.
		wp_redirect( $address );
		exit;
	}

	/**
	 * Connects when the browser has come back from the console. The state that was made for this person proves
	 * that this person has asked for it.
	 */
	public static function finish_return(): void {
		// phpcs:disable WordPress.Security.NonceVerification, WordPress.Security.ValidatedSanitizedInput -- the state is the nonce, and $text cleans both.
		if ( ! isset( $_GET['gatehouse-return'], $_GET['state'], $_GET['code'] ) || ! current_user_can( Settings_Page::CAPABILITY ) ) {
			return;
		}
		$text = static fn( mixed $value ): string => is_string( $value ) ? sanitize_text_field( wp_unslash( $value ) ) : '';
		$code = Connect_Return::finish( $text( $_GET['state'] ), $text( $_GET['code'] ) );
		// phpcs:enable
		if ( null === $code ) {
			self::go_back( __( 'The site was not connected. The request is more than an hour old, or another user started it. Start again.', 'gatehouse' ), 'error' );
		}
		self::finish_connect( Connection::connect_by_code( $code ) );
	}

	/**
	 * Lets Gatehouse check the verification file again.
	 */
	public static function verify(): never {
		self::require_permission( 'gatehouse_verify' );
		$settings = Settings::current();
		if ( null !== $settings && $settings->has_shop() ) {
			Connection::verify( $settings );
			self::go_back( Connection::verification(), '' === Connection::verification_problem() ? 'success' : 'warning' );
		}
		self::go_back( __( 'Not connected.', 'gatehouse' ), 'error' );
	}

	/**
	 * Sends all products.
	 */
	public static function sync(): never {
		self::require_permission( 'gatehouse_sync' );
		if ( null === Shop_Connection::connection() ) {
			self::go_back( __( 'Not connected.', 'gatehouse' ), 'error' );
		}
		Full_Sync::start();
		self::go_back( __( 'All products are being sent in the background.', 'gatehouse' ), 'success' );
	}

	/**
	 * Fetches all documents now.
	 */
	public static function refresh(): never {
		self::require_permission( 'gatehouse_refresh' );
		$settings = Settings::current();
		if ( null !== $settings ) {
			Background::renew( $settings );
		}
		self::go_back( __( 'Gatehouse was asked for all documents. The table shows the result.', 'gatehouse' ), 'info' );
	}

	/**
	 * Ends the connection.
	 */
	public static function disconnect(): never {
		self::require_permission( 'gatehouse_disconnect' );
		if ( '' === self::field( 'confirm' ) ) {
			self::go_back( __( 'Nothing has changed. To disconnect, check the box above the button.', 'gatehouse' ), 'error' );
		}
		$is_known = Connection::disconnect();
		self::go_back( Connection::farewell( $is_known ), $is_known ? 'success' : 'warning' );
	}

	/**
	 * Says what came of connecting.
	 *
	 * @param Settings|\WP_Error $result The connection, or what went wrong.
	 */
	private static function finish_connect( Settings|\WP_Error $result ): never {
		if ( is_wp_error( $result ) ) {
			self::go_back( $result->get_error_message(), 'error' );
		}
		self::go_back( Connection::outcome( $result ), '' === Connection::verification_problem() ? 'success' : 'warning' );
	}

	/**
	 * Refuses everybody else.
	 *
	 * @param string $action Action of the nonce.
	 */
	private static function require_permission( string $action ): void {
		if ( ! current_user_can( Settings_Page::CAPABILITY ) ) {
			wp_die( esc_html__( 'You are not allowed to change these settings.', 'gatehouse' ), '', array( 'response' => 403 ) );
		}
		check_admin_referer( $action );
	}

	/**
	 * A field of the form.
	 *
	 * @param string $name Name of the field.
	 */
	private static function field( string $name ): string {
		// phpcs:ignore WordPress.Security.NonceVerification.Missing -- require_permission() has checked it.
		return isset( $_POST[ $name ] ) && is_string( $_POST[ $name ] ) ? sanitize_text_field( wp_unslash( $_POST[ $name ] ) ) : '';
	}

	/**
	 * Shows the page again, with a message.
	 *
	 * @param string $message What happened.
	 * @param string $type    `success`, `info`, `warning` or `error`.
	 */
	private static function go_back( string $message, string $type ): never {
		// WordPress shows the message as HTML, and parts of it may come from Gatehouse.
		add_settings_error( Settings_Page::SLUG, 'gatehouse', esc_html( $message ), $type );
		// WordPress shows and deletes it on the next page.
		set_transient( 'settings_errors', get_settings_errors(), 30 );
		wp_safe_redirect( add_query_arg( 'settings-updated', 'true', Settings_Page::address() ) );
		exit;
	}
}
