<?php
/**
 * Commands for WP-CLI.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

use Gatehouse\WooCommerce\Full_Sync;
use Gatehouse\WooCommerce\Product_Problems;
use Gatehouse\WooCommerce\Shop_Connection;

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
		$problems = Health::problems( $settings );
		if ( $settings->has_shop() ) {
			array_push( $problems, ...Shop_Health::problems( Connection_Status::recent( $settings ) ) );
		}
		array_map( \WP_CLI::warning( ... ), $problems );
		foreach ( Health::documents( $settings ) as $row ) {
			\WP_CLI::line( sprintf( '%-30s %-22s %s', $row['path'], $row['form'], $row['state'] ) );
		}
	}

	/**
	 * Connects the site. Values that you leave out are reset. With a code, all other options are ignored.
	 *
	 * ## OPTIONS
	 *
	 * [<code>]
	 * : Code of the console. It begins with ghc_, works once, and sets everything.
	 *
	 * [--gatehouse=<url>]
	 * : Without a code: address of Gatehouse, such as https://gate.example.com.
	 *
	 * [--site-key=<key>]
	 * : Without a code: public key of the site.
	 *
	 * [--edge-token=<token>]
	 * : Without a code: secret for reporting visits.
	 *
	 * [--verification=<token>]
	 * : Without a code: token that Gatehouse looks for on the site to verify the domain.
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
	 * [--[no-]capture]
	 * : Whether a payment is captured when its order is completed.
	 *
	 * ## EXAMPLES
	 *
	 *     wp gatehouse connect ghc_…
	 *
	 * @param string[]             $arguments The code, or nothing.
	 * @param array<string, mixed> $options   Options by name.
	 */
	public function connect( array $arguments, array $options ): void {
		if ( isset( $arguments[0] ) ) {
			$result = Connection::connect_by_code( Connection_Code::read( $arguments[0] ) );
			if ( is_wp_error( $result ) ) {
				\WP_CLI::error( $result->get_error_message() );
				return;
			}
			\WP_CLI::success( Connection::outcome( $result ) );
			return;
		}
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
	 * Sends all products of WooCommerce now.
	 *
	 * ## EXAMPLES
	 *
	 *     wp gatehouse sync
	 */
	public function sync(): void {
		if ( null === Shop_Connection::connection() ) {
			\WP_CLI::error( __( 'The shop is not connected. Connect it with a code from the console.', 'gatehouse' ) );
			return;
		}
		Full_Sync::start();
		/* translators: %d: number of products */
		$problem = Full_Sync::send( PHP_INT_MAX, static fn( int $sent ) => \WP_CLI::line( sprintf( __( 'Products sent: %d', 'gatehouse' ), $sent ) ) );
		if ( '' !== $problem ) {
			\WP_CLI::error( $problem );
			return;
		}
		foreach ( Product_Problems::all() as $id => $text ) {
			\WP_CLI::warning( $id . ': ' . $text );
		}
		\WP_CLI::success( __( 'All products were sent.', 'gatehouse' ) );
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
		$is_known = Connection::disconnect();
		$words    = Connection::farewell( $is_known );
		$is_known ? \WP_CLI::success( $words ) : \WP_CLI::warning( $words );
	}
}
