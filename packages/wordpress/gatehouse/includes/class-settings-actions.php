<?php
/**
 * What the forms of the settings page do.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * Handles the forms: each needs the right to manage options, and the nonce of its form.
 */
final class Settings_Actions {
	public const NAMES = array( 'connect', 'refresh', 'disconnect' );

	/**
	 * Connects, or changes the connection.
	 */
	public static function connect(): never {
		self::require_permission( 'gatehouse_connect' );
		$input = array(
			'embed'       => self::field( 'embed' ) !== '',
			'agents_only' => self::field( 'agents_only' ) !== '',
		);
		foreach ( array( 'gatehouse', 'site_key', 'edge_token', 'verification', 'except' ) as $name ) {
			$input[ $name ] = self::field( $name );
		}
		$before = Settings::current();
		// A token is kept only for the place it was made for.
		if ( '' === $input['edge_token'] && null !== $before && rtrim( $input['gatehouse'], '/' ) === $before->gatehouse && $input['site_key'] === $before->site_key ) {
			$input['edge_token'] = $before->edge_token;
		}
		$result = Connection::connect( $input );
		if ( is_wp_error( $result ) ) {
			self::go_back( $result->get_error_message(), 'error' );
		}
		self::go_back( __( 'Connected.', 'gatehouse' ), 'success' );
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
		self::go_back( __( 'Documents refreshed. The table says what was found.', 'gatehouse' ), 'success' );
	}

	/**
	 * Ends the connection.
	 */
	public static function disconnect(): never {
		self::require_permission( 'gatehouse_disconnect' );
		Connection::disconnect();
		self::go_back( __( 'Disconnected.', 'gatehouse' ), 'success' );
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
	 * @param string $type    `success` or `error`.
	 */
	private static function go_back( string $message, string $type ): never {
		add_settings_error( Settings_Page::SLUG, 'gatehouse', $message, $type );
		// WordPress shows and deletes it on the next page.
		set_transient( 'settings_errors', get_settings_errors(), 30 );
		wp_safe_redirect( add_query_arg( 'settings-updated', 'true', Settings_Page::address() ) );
		exit;
	}
}
