<?php
/**
 * A notice about a WooCommerce that is too old.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

use Gatehouse\Settings;

defined( 'ABSPATH' ) || exit;

/**
 * Says which version is needed, where people update plugins. Settings → Gatehouse says so too.
 */
final class Version_Notice {
	private const SCREENS    = array( 'plugins', 'update-core' );
	private const CAPABILITY = 'update_plugins';

	/**
	 * Shows the notice, while a connected shop cannot sell because of its version.
	 */
	public static function show(): void {
		$is_here = in_array( get_current_screen()?->id, self::SCREENS, true ) && current_user_can( self::CAPABILITY );
		if ( $is_here && Shop::is_outdated() && true === Settings::current()?->has_shop() ) {
			echo '<div class="notice notice-warning is-dismissible"><p>Gatehouse: ' . esc_html( Shop::problem() ) . '</p></div>';
		}
	}
}
