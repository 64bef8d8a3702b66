<?php
/**
 * Tools → Site Health.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * Adds a test that finds the problems of the settings page.
 */
final class Site_Health {
	private const TEST = 'gatehouse';

	/**
	 * Adds the test, while the site is connected.
	 *
	 * @param array<string, array<string, mixed>> $tests Tests of Site Health.
	 * @return array<string, array<string, mixed>>
	 */
	public static function add( array $tests ): array {
		if ( null !== Settings::current() ) {
			$tests['direct'][ self::TEST ] = array(
				'label' => 'Gatehouse',
				'test'  => array( self::class, 'run' ),
			);
		}
		return $tests;
	}

	/**
	 * Runs the test.
	 *
	 * @return array<string, mixed>
	 */
	public static function run(): array {
		$settings = Settings::current();
		$problems = array();
		if ( null !== $settings ) {
			$problems = Health::problems( $settings );
			if ( $settings->has_shop() ) {
				array_push( $problems, ...Shop_Health::problems( Connection_Status::recent( $settings ) ) );
			}
		}
		$is_good = array() === $problems;
		$text    = $is_good ? array( __( 'The connection with your Gatehouse works.', 'gatehouse' ) ) : $problems;
		return array(
			'label'       => $is_good ? __( 'Gatehouse is connected', 'gatehouse' ) : __( 'Gatehouse needs your attention', 'gatehouse' ),
			'status'      => $is_good ? 'good' : 'recommended',
			'badge'       => array(
				'label' => 'Gatehouse',
				'color' => 'blue',
			),
			'description' => implode( '', array_map( static fn( string $one ): string => '<p>' . esc_html( $one ) . '</p>', $text ) ),
			'actions'     => '<a href="' . esc_url( Settings_Page::address() ) . '">' . esc_html__( 'Open the settings of Gatehouse', 'gatehouse' ) . '</a>',
			'test'        => self::TEST,
		);
	}
}
