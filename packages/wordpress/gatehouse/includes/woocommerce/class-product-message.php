<?php
/**
 * A message about products.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

use Gatehouse\Connector_Client;
use Gatehouse\Settings;

defined( 'ABSPATH' ) || exit;

/**
 * Collects products until a message is full, and sends it.
 */
final class Product_Message {
	/**
	 * Products and removed ids in a message, and its bytes with some room.
	 */
	private const ITEMS_MAX = 500;
	private const BYTES_MAX = 240_000;

	/**
	 * Products.
	 *
	 * @var array<int, array<string, mixed>>
	 */
	private array $products = array();
	/**
	 * Products that agents must not find any more.
	 *
	 * @var array<int, array{id: string, version: int}>
	 */
	private array $removed = array();
	/**
	 * Size of all this.
	 *
	 * @var int
	 */
	private int $bytes = 0;

	/**
	 * Adds a product; false if the message is full.
	 *
	 * @param array<string, mixed> $entry Fields of a product.
	 */
	public function add( array $entry ): bool {
		$bytes = strlen( Connector_Client::json( $entry ) ) + 1;
		if ( $this->count() >= self::ITEMS_MAX || $this->bytes + $bytes > self::BYTES_MAX ) {
			return false;
		}
		$this->products[] = $entry;
		$this->bytes     += $bytes;
		return true;
	}

	/**
	 * Adds a product that agents must not find; false if the message is full.
	 *
	 * @param int $id      Its id.
	 * @param int $version Time before it was read, in milliseconds.
	 */
	public function remove( int $id, int $version ): bool {
		if ( $this->count() >= self::ITEMS_MAX ) {
			return false;
		}
		$this->removed[] = array(
			'id'      => (string) $id,
			'version' => $version,
		);
		return true;
	}

	/**
	 * How many products and removed ids it has.
	 */
	public function count(): int {
		return count( $this->products ) + count( $this->removed );
	}

	/**
	 * Sends it, and keeps what Gatehouse says about single products.
	 *
	 * @param Settings                  $settings The connection.
	 * @param array<string, mixed>|null $sync     Part of a full list; null for changes.
	 * @return string What went wrong; empty if nothing did.
	 */
	public function send( Settings $settings, ?array $sync = null ): string {
		$message = array( 'type' => 'products' ) + ( null === $sync ? array() : array( 'sync' => $sync ) );
		$answer  = Connector_Client::send(
			$settings,
			'products',
			$message + array(
				'products' => $this->products,
				'removed'  => $this->removed,
			),
			Connector_Client::new_id()
		);
		if ( is_wp_error( $answer ) ) {
			return $answer->get_error_message();
		}
		$ids = array_merge( array_column( $this->products, 'id' ), array_column( $this->removed, 'id' ) );
		Product_Problems::update( $ids, $answer['problems'] ?? null );
		return '';
	}
}
