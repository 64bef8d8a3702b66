<?php
/**
 * A session that nobody keeps.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

defined( 'ABSPATH' ) || exit;

/**
 * WooCommerce's cart keeps what it computes in a session. This one has no row and no cookie, and ends with the request.
 */
final class Memory_Session extends \WC_Session {
	/**
	 * Whether a browser has the session.
	 */
	public function has_session(): bool {
		return false;
	}

	/**
	 * Sends no cookie.
	 *
	 * @param bool $set Whether WooCommerce wants one.
	 */
	public function set_customer_session_cookie( $set ): void {}

	/**
	 * Saves nothing.
	 */
	public function save_data(): void {}

	/**
	 * Forgets everything.
	 */
	public function destroy_session(): void {
		$this->_data = array();
	}
}
