<?php
/**
 * Commands for WP-CLI.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * Connects this site with Gatehouse, and shows whether that works.
 */
final class Cli_Command {
	/**
	 * Shows the connection, its problems and its documents.
	 *
	 * ## EXAMPLES
	 *
	 *     wp gatehouse status
	 */
	public function status(): void {
		$settings = Settings::current();
		if ( null === $settings ) {
			\WP_CLI::line( __( 'Not connected.', 'gatehouse' ) );
			return;
		}
		/* translators: %s: address of Gatehouse */
		\WP_CLI::line( sprintf( __( 'Connected with %s', 'gatehouse' ), $settings->gatehouse ) );
		foreach ( Health::problems( $settings ) as $problem ) {
			\WP_CLI::warning( $problem );
		}
		foreach ( Health::documents( $settings ) as $row ) {
			\WP_CLI::line( sprintf( '%-30s %-22s %s', $row['path'], $row['form'], $row['state'] ) );
		}
	}

	/**
	 * Connects the site, or changes the connection.
	 *
	 * ## OPTIONS
	 *
	 * --gatehouse=<url>
	 * : Address of Gatehouse, such as https://gate.example.com.
	 *
	 * --site-key=<key>
	 * : Public key of the site.
	 *
	 * [--edge-token=<token>]
	 * : Secret for reporting visits.
	 *
	 * [--verification=<token>]
	 * : Proves the domain by the file method.
	 *
	 * [--except=<paths>]
	 * : Paths that the site serves itself, separated by commas.
	 *
	 * [--[no-]embed]
	 * : Whether pages load the script.
	 *
	 * [--[no-]agents-only]
	 * : Whether visits of people are left out.
	 *
	 * @param string[]             $arguments Not used.
	 * @param array<string, mixed> $options   Options by name.
	 */
	public function connect( array $arguments, array $options ): void {
		$input = array();
		foreach ( $options as $name => $value ) {
			$input[ str_replace( '-', '_', $name ) ] = $value;
		}
		$result = Connection::connect( $input );
		if ( is_wp_error( $result ) ) {
			\WP_CLI::error( $result->get_error_message() );
			return;
		}
		\WP_CLI::success( __( 'Connected.', 'gatehouse' ) );
	}

	/**
	 * Fetches all documents and does the background work now.
	 */
	public function refresh(): void {
		$settings = Settings::current();
		if ( null === $settings ) {
			\WP_CLI::error( __( 'Not connected.', 'gatehouse' ) );
			return;
		}
		Background::renew( $settings );
		Background::run();
		$this->status();
	}

	/**
	 * Ends the connection, and deletes everything the plugin has stored.
	 */
	public function disconnect(): void {
		Connection::disconnect();
		\WP_CLI::success( __( 'Disconnected.', 'gatehouse' ) );
	}
}
