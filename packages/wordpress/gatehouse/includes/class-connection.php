<?php
/**
 * Connects the site with Gatehouse.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * Begins, continues and ends the connection.
 */
final class Connection {
	/**
	 * Checks what somebody entered, asks Gatehouse, and connects.
	 *
	 * @param array<string, mixed> $input Entered values.
	 * @return Settings|\WP_Error The error says what to correct; then nothing has changed.
	 */
	public static function connect( array $input ): Settings|\WP_Error {
		$settings = Settings::read( $input );
		if ( is_wp_error( $settings ) ) {
			return $settings;
		}
		$answer = Gatehouse_Client::get( $settings->gatehouse . '/version', 'application/json', Gatehouse_Client::BACKGROUND_S );
		$body   = json_decode( wp_remote_retrieve_body( $answer ), true );
		if ( 'gatehouse' !== ( $body['name'] ?? null ) ) {
			return new \WP_Error( 'gatehouse_unreachable', __( 'There is no Gatehouse at this address, or it does not answer. Check the address.', 'gatehouse' ) );
		}
		$problem = '' === $settings->edge_token ? '' : Visit_Reporter::check_token( $settings );
		if ( '' !== $problem ) {
			return new \WP_Error( 'gatehouse_edge_token', $problem );
		}
		$before = Settings::current();
		if ( null !== $before && array( $before->gatehouse, $before->site_key ) !== array( $settings->gatehouse, $settings->site_key ) ) {
			// Nothing of another site may be served or reported as this one's.
			self::disconnect();
		}
		Storage::create();
		$settings->save();
		Schedule::start();
		Background::renew( $settings );
		return $settings;
	}

	/**
	 * Starts the background work of a connected site again, as after the plugin was switched off.
	 */
	public static function resume(): void {
		if ( null !== Settings::current() ) {
			Schedule::start();
		}
	}

	/**
	 * Ends the connection, and removes everything the plugin has stored.
	 */
	public static function disconnect(): void {
		Schedule::stop();
		Storage::remove();
	}
}
