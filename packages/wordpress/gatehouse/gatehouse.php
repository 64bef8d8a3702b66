<?php
/**
 * Plugin Name:       Gatehouse
 * Description:       Connects your site with your Gatehouse: AI agents find your documents on your own domain, and buy from your WooCommerce shop by your rules.
 * Version:           0.2.0
 * Author:            Gatehouse
 * Requires at least: 6.4
 * Requires PHP:      8.1
 * WC requires at least: 8.2
 * WC tested up to:     10.2
 * License:           Apache-2.0
 * License URI:       https://www.apache.org/licenses/LICENSE-2.0
 * Text Domain:       gatehouse
 * Domain Path:       /languages
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

require_once __DIR__ . '/includes/autoload.php';

register_activation_hook( __FILE__, array( Connection::class, 'resume' ) );
register_deactivation_hook( __FILE__, array( Connection::class, 'deactivate' ) );
Plugin::boot( __FILE__ );
