<?php
/**
 * The secrets of the connection.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * Kept apart from the settings, in an option that pages do not load: neither the cache of all options nor a list of
 * what a page has loaded contains them. They are read when a message is sent or checked.
 */
final class Secrets {
	public const OPTION = 'gatehouse_secrets';

	/**
	 * Use kept() or entered().
	 *
	 * @param array{edge_token: string, connection_secret: string}|null $values Null until they are read.
	 */
	private function __construct( private ?array $values ) {}

	/**
	 * Those that are kept.
	 */
	public static function kept(): self {
		return new self( null );
	}

	/**
	 * New ones.
	 *
	 * @param string $edge_token        Secret for reporting visits; empty without one.
	 * @param string $connection_secret Secret that signs messages; empty without one.
	 */
	public static function entered( string $edge_token, string $connection_secret ): self {
		return new self(
			array(
				'edge_token'        => $edge_token,
				'connection_secret' => $connection_secret,
			)
		);
	}

	/**
	 * Secret for reporting visits; empty without one.
	 */
	public function edge_token(): string {
		return $this->values()['edge_token'];
	}

	/**
	 * Secret that signs messages; empty without one.
	 */
	public function connection_secret(): string {
		return $this->values()['connection_secret'];
	}

	/**
	 * Saves them.
	 */
	public function save(): void {
		update_option( self::OPTION, $this->values(), false );
	}

	/**
	 * The values, read when they are needed first.
	 *
	 * @return array{edge_token: string, connection_secret: string}
	 */
	private function values(): array {
		if ( null === $this->values ) {
			$kept         = get_option( self::OPTION );
			$text         = static fn( string $name ): string => is_array( $kept ) && is_string( $kept[ $name ] ?? null ) ? $kept[ $name ] : '';
			$this->values = array(
				'edge_token'        => $text( 'edge_token' ),
				'connection_secret' => $text( 'connection_secret' ),
			);
		}
		return $this->values;
	}
}
