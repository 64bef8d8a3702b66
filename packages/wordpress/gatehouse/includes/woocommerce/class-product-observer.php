<?php
/**
 * Notices changes of products.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

use Gatehouse\Schedule;

defined( 'ABSPATH' ) || exit;

/**
 * Collects the ids of products that change in a request, and writes them at its end. Imports and bulk edits fire
 * the same hooks many times.
 */
final class Product_Observer {
	private const TYPES = array( 'product', 'product_variation' );
	/**
	 * Ids that are collected before they are written: an import changes thousands in one process.
	 */
	private const IDS_MAX = 500;

	/**
	 * Ids that were collected, as keys.
	 *
	 * @var array<int, true>
	 */
	private static array $ids = array();
	/**
	 * Whether all products are to be sent.
	 *
	 * @var bool
	 */
	private static bool $all = false;

	/**
	 * A product was created or changed.
	 *
	 * @param mixed $product Its id, or itself.
	 */
	public static function note( mixed $product ): void {
		$id = $product instanceof \WC_Product ? $product->get_id() : (int) $product;
		if ( $id <= 0 || null === Shop_Connection::connection() ) {
			return;
		}
		add_action( 'shutdown', array( self::class, 'write' ) );
		self::$ids[ $id ] = true;
		if ( count( self::$ids ) >= self::IDS_MAX ) {
			self::write();
		}
	}

	/**
	 * A product was published, hidden, moved to the trash, or brought back.
	 *
	 * @param mixed $now    New state.
	 * @param mixed $before State before.
	 * @param mixed $post   The post.
	 */
	public static function note_state( mixed $now, mixed $before, mixed $post ): void {
		if ( $now !== $before ) {
			self::note_post( 0, $post );
		}
	}

	/**
	 * A product was deleted.
	 *
	 * @param mixed $id   Not used.
	 * @param mixed $post The post.
	 */
	public static function note_post( mixed $id, mixed $post ): void {
		if ( $post instanceof \WP_Post && in_array( $post->post_type, self::TYPES, true ) ) {
			self::note( $post->ID );
		}
	}

	/**
	 * Prices of all products may have changed, such as with a tax rate or the currency.
	 */
	public static function note_all(): void {
		add_action( 'shutdown', array( self::class, 'write' ) );
		self::$all = true;
	}

	/**
	 * Writes what was collected.
	 */
	public static function write(): void {
		$ids       = array_keys( self::$ids );
		$all       = self::$all;
		self::$ids = array();
		self::$all = false;
		if ( null === Shop_Connection::connection() ) {
			return;
		}
		if ( array() !== $ids ) {
			Changed_Products::add( $ids );
			Work::schedule( Schedule::PUSH_PRODUCTS, 0 );
			Work::begin_soon();
		}
		if ( $all ) {
			Full_Sync::start();
		}
	}
}
