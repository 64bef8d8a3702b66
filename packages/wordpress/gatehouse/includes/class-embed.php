<?php
/**
 * The script that pages load from Gatehouse.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * Puts the script into pages. It is the same on every page, so page caches may keep it.
 */
final class Embed {
	private const HANDLE = 'gatehouse-embed';

	/**
	 * Adds the script once.
	 */
	public static function enqueue(): void {
		$settings = Settings::current();
		if ( null === $settings || ! $settings->embed ) {
			return;
		}
		// phpcs:ignore WordPress.WP.EnqueuedResourceParameters.MissingVersion -- Gatehouse decides how long it is cached.
		wp_enqueue_script( self::HANDLE, $settings->gatehouse . '/embed.js', array(), null, array( 'strategy' => 'async' ) );
		add_filter( 'script_loader_tag', array( self::class, 'add_site_key' ), 10, 2 );
	}

	/**
	 * Names the site in the script's tag.
	 *
	 * @param string $tag    The tag.
	 * @param string $handle Name of the script.
	 */
	public static function add_site_key( string $tag, string $handle ): string {
		$settings = self::HANDLE === $handle ? Settings::current() : null;
		if ( null === $settings ) {
			return $tag;
		}
		$attribute = ' data-site-key="' . esc_attr( $settings->site_key ) . '"';
		return (string) preg_replace( '/ (?=src=)/', $attribute . ' ', $tag, 1 );
	}
}
