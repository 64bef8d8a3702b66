<?php
/**
 * Removes everything the plugin has stored.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'WP_UNINSTALL_PLUGIN' ) || exit;

require_once __DIR__ . '/includes/autoload.php';

if ( ! is_multisite() ) {
	Connection::disconnect();
	return;
}
foreach ( get_sites(
	array(
		'fields' => 'ids',
		'number' => 0,
	)
) as $gatehouse_site ) {
	switch_to_blog( (int) $gatehouse_site );
	Connection::disconnect();
	restore_current_blog();
}
