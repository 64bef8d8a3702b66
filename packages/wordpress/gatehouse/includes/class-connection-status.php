<?php
/**
 * What Gatehouse says about the connection.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

use Gatehouse\WooCommerce\Shop_Connection;

defined( 'ABSPATH' ) || exit;

/**
 * The answer to the message `status`. It is kept for a minute, so that looking at the settings page twice asks once.
 */
final class Connection_Status {
	public const PENDING      = 'pending';
	private const TRANSIENT   = 'gatehouse_connection_status';
	private const KEPT_S      = MINUTE_IN_SECONDS;
	private const PROBLEMS    = 10;
	private const PROBLEM_MAX = 300;

	/**
	 * Use ask() or recent().
	 *
	 * @param string   $site         `pending`, `verified`, or another state of the site.
	 * @param int      $listed       Products that agents can find.
	 * @param int      $paused       Products that are paused.
	 * @param string   $sync_problem What was wrong with the last full list; empty if nothing was.
	 * @param bool     $open         Whether agents can buy.
	 * @param string[] $missing      What is missing before they can.
	 * @param int      $waiting      Messages of Gatehouse that wait for this shop.
	 * @param int      $failed       Messages of Gatehouse that could not be delivered in time.
	 * @param string   $agent_page   Page for agents at Gatehouse; empty if there is none.
	 */
	private function __construct(
		public readonly string $site,
		public readonly int $listed,
		public readonly int $paused,
		public readonly string $sync_problem,
		public readonly bool $open,
		public readonly array $missing,
		public readonly int $waiting,
		public readonly int $failed,
		public readonly string $agent_page,
	) {}

	/**
	 * Asks Gatehouse.
	 *
	 * @param Settings $settings The connection.
	 * @param bool     $verify   Whether Gatehouse checks the verification file first.
	 * @return self|\WP_Error
	 */
	public static function ask( Settings $settings, bool $verify = false ): self|\WP_Error {
		$message = array( 'type' => 'status' ) + Shop_Connection::description();
		$seconds = $verify ? Connector_Client::MESSAGE_S : Gatehouse_Client::BACKGROUND_S;
		$more    = $verify ? array( 'verify' => true ) : array();
		$answer  = Connector_Client::send( $settings, 'status', $message + $more, Connector_Client::new_id(), $seconds );
		$kept    = is_wp_error( $answer ) ? $answer->get_error_message() : $answer;
		set_transient( self::TRANSIENT, $kept, self::KEPT_S );
		return is_wp_error( $answer ) ? $answer : self::read( $answer );
	}

	/**
	 * Lets Gatehouse check the verification file, unless it has.
	 *
	 * @param Settings $settings The connection.
	 * @return string Why the domain is not verified; empty if it is.
	 */
	public static function verify( Settings $settings ): string {
		$status = self::ask( $settings );
		if ( $status instanceof self && self::PENDING === $status->site ) {
			$status = self::ask( $settings, true );
			self::clear();
		}
		return is_wp_error( $status ) ? $status->get_error_message() : '';
	}

	/**
	 * The answer of the last minute, or a new one.
	 *
	 * @param Settings $settings The connection.
	 * @return self|\WP_Error
	 */
	public static function recent( Settings $settings ): self|\WP_Error {
		$kept = get_transient( self::TRANSIENT );
		if ( is_string( $kept ) ) {
			return new \WP_Error( 'gatehouse_status', $kept );
		}
		return is_array( $kept ) ? self::read( $kept ) : self::ask( $settings );
	}

	/**
	 * Deletes what is kept, because it may be another now.
	 */
	public static function clear(): void {
		delete_transient( self::TRANSIENT );
	}

	/**
	 * Reads an answer. Values of another type count as absent.
	 *
	 * @param array<string, mixed> $answer Decoded and signed answer.
	 */
	private static function read( array $answer ): self {
		$object   = static fn( string $name ): array => is_array( $answer[ $name ] ?? null ) ? $answer[ $name ] : array();
		$whole    = static fn( mixed $value ): int => is_int( $value ) && $value > 0 ? $value : 0;
		$products = $object( 'products' );
		$selling  = $object( 'selling' );
		$messages = $object( 'messages' );
		$missing  = is_array( $selling['problems'] ?? null ) ? array_filter( array_map( self::text( ... ), $selling['problems'] ) ) : array();
		$page     = is_string( $answer['agent_page'] ?? null ) ? esc_url_raw( $answer['agent_page'], array( 'https', 'http' ) ) : '';
		return new self(
			self::text( $object( 'site' )['status'] ?? null ),
			$whole( $products['listed'] ?? null ),
			$whole( $products['paused'] ?? null ),
			self::text( $products['problem'] ?? null ),
			true === ( $selling['open'] ?? null ),
			array_slice( array_values( $missing ), 0, self::PROBLEMS ),
			$whole( $messages['waiting'] ?? null ),
			$whole( $messages['failed'] ?? null ),
			$page,
		);
	}

	/**
	 * A text of Gatehouse without tags; empty if it is none.
	 *
	 * @param mixed $value Part of the answer.
	 */
	private static function text( mixed $value ): string {
		return is_string( $value ) ? mb_substr( sanitize_text_field( $value ), 0, self::PROBLEM_MAX ) : '';
	}
}
