<?php
/**
 * Connects the site with Gatehouse.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

use Gatehouse\WooCommerce\Shop_Connection;
use Gatehouse\WooCommerce\Test_Order;
use Gatehouse\WooCommerce\Unfinished_Orders;

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
		$problem = ! $settings->reports ? '' : Visit_Reporter::check_token( $settings );
		if ( '' !== $problem ) {
			return new \WP_Error( 'gatehouse_edge_token', $problem );
		}
		$before = Settings::current();
		if ( null !== $before && $before->has_shop() && $before->is_same_site( $settings ) ) {
			// Other settings changed; the connection of the shop is the same.
			$kept     = array(
				'connection_id'     => $before->connection_id,
				'connection_secret' => $before->connection_secret(),
			);
			$settings = Settings::read( array_merge( $settings->as_input(), $kept ) );
		}
		if ( ! is_wp_error( $settings ) ) {
			self::begin( $settings );
			Background::renew( $settings );
		}
		return $settings;
	}

	/**
	 * Exchanges a code of the console, and connects.
	 *
	 * @param Connection_Code|null $code The code; null if it could not be read.
	 * @return Settings|\WP_Error The error says what to do; then nothing has changed.
	 */
	public static function connect_by_code( ?Connection_Code $code ): Settings|\WP_Error {
		if ( null === $code ) {
			return new \WP_Error( 'gatehouse_code', __( 'This code cannot be used. Copy the whole code from the console. It begins with ghc_. The address of your Gatehouse must begin with https://.', 'gatehouse' ) );
		}
		$answer = Connector_Client::connect( $code->gatehouse, self::message( $code ) );
		Connect_Proof::end();
		if ( is_wp_error( $answer ) ) {
			return $answer;
		}
		$before = Settings::current();
		$site   = is_array( $answer['site'] ?? null ) ? $answer['site'] : array();
		$given  = array(
			'gatehouse'         => $code->gatehouse,
			'site_key'          => $site['site_key'] ?? null,
			'verification'      => $site['verification_token'] ?? null,
			'edge_token'        => $answer['edge_token'] ?? null,
			'connection_id'     => $answer['connection_id'] ?? null,
			'connection_secret' => $answer['secret'] ?? null,
		);
		// What the owner has chosen on this site stays.
		$settings = Settings::read( array_merge( null === $before ? array() : $before->as_input(), $given ) );
		$is_whole = ! is_wp_error( $settings ) && $settings->has_shop() && $settings->reports && $settings->site_key_hash() === ( $site['site_key_hash'] ?? null );
		if ( ! $is_whole ) {
			return new \WP_Error( 'gatehouse_answer', __( 'The answer of Gatehouse cannot be used. Its version may be incompatible with this plugin.', 'gatehouse' ) );
		}
		self::begin( $settings );
		// Gatehouse fetches the file that proves the domain while this waits.
		self::verify( $settings );
		return $settings;
	}

	/**
	 * What came of connecting, in sentences.
	 *
	 * @param Settings $settings The connection.
	 */
	public static function outcome( Settings $settings ): string {
		/* translators: %s: address of Gatehouse */
		$words = array( sprintf( __( 'Connected with %s.', 'gatehouse' ), $settings->gatehouse ), self::verification() );
		if ( null !== Shop_Connection::connection() ) {
			$words[] = __( 'Your products are being sent in the background.', 'gatehouse' );
		}
		return implode( ' ', $words );
	}

	/**
	 * Whether the domain is verified, in a sentence.
	 */
	public static function verification(): string {
		$problem = self::verification_problem();
		return '' === $problem
			? __( 'Your domain is verified.', 'gatehouse' )
			/* translators: %s: message of Gatehouse */
			: sprintf( __( 'Your domain is not verified yet: %s', 'gatehouse' ), $problem );
	}

	/**
	 * Why Gatehouse could not verify the domain when it was asked last; empty if it could.
	 */
	public static function verification_problem(): string {
		return Status::all()['verification_problem'] ?? '';
	}

	/**
	 * Asks Gatehouse to verify the domain again.
	 *
	 * @param Settings $settings The connection.
	 */
	public static function verify( Settings $settings ): void {
		Status::note( 'verification_problem', Connection_Status::verify( $settings ) );
		Background::renew( $settings );
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
	 * Ends the connection, tells Gatehouse, and removes everything the plugin has stored.
	 *
	 * @return bool Whether nothing is left to end at Gatehouse. Otherwise the owner ends it in the console.
	 */
	public static function disconnect(): bool {
		$settings = Settings::current();
		$answer   = null;
		if ( null !== $settings && $settings->has_shop() ) {
			$answer = Connector_Client::send(
				$settings,
				'status',
				array(
					'type'       => 'status',
					'disconnect' => true,
				),
				Connector_Client::new_id(),
				Gatehouse_Client::BACKGROUND_S
			);
			Unfinished_Orders::leave_to_owner();
		}
		self::stop();
		Storage::remove();
		return ! is_wp_error( $answer );
	}

	/**
	 * What came of disconnecting, in sentences.
	 *
	 * @param bool $is_known What disconnect() returned.
	 */
	public static function farewell( bool $is_known ): string {
		return $is_known
			? __( 'Disconnected.', 'gatehouse' )
			: __( 'Disconnected on this site, but Gatehouse did not confirm it. Disconnect in the Gatehouse console too.', 'gatehouse' );
	}

	/**
	 * The plugin is switched off. Without it, nothing knows the status of test orders: WooCommerce would hide them, and
	 * make a real order of one that somebody saves.
	 */
	public static function deactivate(): void {
		self::stop();
		Test_Order::remove_all();
	}

	/**
	 * Stops the background work.
	 */
	public static function stop(): void {
		Schedule::stop();
		Shop_Connection::stop();
	}

	/**
	 * Saves the settings and starts the work.
	 *
	 * @param Settings $settings The connection.
	 */
	private static function begin( Settings $settings ): void {
		$before = Settings::current();
		if ( null !== $before && ! $before->is_same_site( $settings ) ) {
			// Nothing of another site may be served or reported as this one's.
			self::disconnect();
		}
		Storage::create();
		$settings->save();
		Connection_Status::clear();
		Schedule::start();
		Shop_Connection::begin( $settings, $before );
	}

	/**
	 * The message `connect`.
	 *
	 * @param Connection_Code $code Of the console.
	 * @return array<string, mixed>
	 */
	private static function message( Connection_Code $code ): array {
		$message = array(
			'type'      => 'connect',
			'code'      => $code->code,
			'verifier'  => '' === $code->verifier ? null : $code->verifier,
			'challenge' => Connect_Proof::begin(),
			'endpoint'  => rest_url( 'gatehouse/v1/connector' ),
		);
		return $message + Shop_Connection::description();
	}
}
