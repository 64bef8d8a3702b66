<?php
/**
 * WooCommerce on this site.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

use Gatehouse\Connection_Status;
use Gatehouse\Settings;
use Gatehouse\Status;

defined( 'ABSPATH' ) || exit;

/**
 * Says whether there is a shop, and starts and stops the work that connects it.
 */
final class Shop_Connection {
	/**
	 * Note whether WooCommerce was active since the site was connected.
	 */
	public const SOLD           = 'sold';
	private const CHECKOUT_LINK = '\Automattic\WooCommerce\Blocks\Domain\Services\CheckoutLink';

	/**
	 * Whether WooCommerce is active, in a version that the plugin works with.
	 */
	public static function is_there(): bool {
		return Shop::is_active() && ! Shop::is_outdated();
	}

	/**
	 * Whether this site has a shop, or had one since it was connected. Others have no use for words about orders.
	 */
	public static function is_wanted(): bool {
		return Shop::is_active() || '' !== ( Status::all()[ self::SOLD ] ?? '' );
	}

	/**
	 * The connection, where this shop sells by it; null otherwise.
	 */
	public static function connection(): ?Settings {
		$settings = self::is_there() ? Settings::current() : null;
		return null !== $settings && $settings->has_shop() ? $settings : null;
	}

	/**
	 * What Gatehouse has to know of this shop.
	 *
	 * @return array{system: string, sells: bool, cart_link: string|null}
	 */
	public static function description(): array {
		return array(
			'system'    => Shop::is_active() ? 'WooCommerce ' . WC_VERSION : 'WordPress ' . get_bloginfo( 'version' ),
			'sells'     => self::is_there(),
			'cart_link' => self::cart_link(),
		);
	}

	/**
	 * The link that fills the cart and leads to the checkout; null where WooCommerce has none.
	 */
	private static function cart_link(): ?string {
		$has_link = self::is_there() && class_exists( self::CHECKOUT_LINK ) && '' !== get_option( 'permalink_structure' );
		return $has_link ? home_url( '/checkout-link/?products={items}&coupon={coupon}' ) : null;
	}

	/**
	 * Starts the work of a new connection.
	 *
	 * @param Settings      $settings The connection.
	 * @param Settings|null $before   The one before; null if there was none.
	 */
	public static function begin( Settings $settings, ?Settings $before ): void {
		if ( $settings->connection_id === $before?->connection_id ) {
			return;
		}
		self::note_description();
		Status::note( self::SOLD, self::is_there() ? 'yes' : '' );
		if ( null !== self::connection() ) {
			Full_Sync::start();
		}
	}

	/**
	 * Reports what has changed in the shop itself, and starts work again that was lost, such as by a crash. Runs
	 * every minute.
	 *
	 * @param Settings $settings The connection.
	 */
	public static function resume( Settings $settings ): void {
		if ( ! $settings->has_shop() ) {
			return;
		}
		if ( self::described() !== ( Status::all()['described'] ?? '' ) && ! is_wp_error( Connection_Status::ask( $settings ) ) ) {
			self::note_description();
		}
		if ( self::is_there() ) {
			Status::note( self::SOLD, 'yes' );
			Full_Sync::resume();
			Product_Push::resume();
			Order_Change_Sender::resume();
		}
	}

	/**
	 * Remembers that Gatehouse knows the description.
	 */
	private static function note_description(): void {
		Status::note( 'described', self::described() );
	}

	/**
	 * The description as one text.
	 */
	private static function described(): string {
		return (string) wp_json_encode( self::description() );
	}

	/**
	 * Stops the work.
	 */
	public static function stop(): void {
		Work::cancel( '', Work::GROUP );
	}
}
