<?php
/**
 * Who a visit without a signature is by.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * Tells people from programs, as far as the `User-Agent` shows.
 */
final class Caller {
	private const BROWSER   = '~^(?:Mozilla|Opera)/~';
	private const AUTOMATED = '/headless|phantomjs|selenium|puppeteer|playwright|python|scrapy|(?<!cu)bot\b|crawl|spider/i';

	/**
	 * Whether a visit is by a person.
	 *
	 * @param string $user_agent The header.
	 */
	public static function is_person( string $user_agent ): bool {
		return 1 === preg_match( self::BROWSER, $user_agent )
			&& 1 !== preg_match( self::AUTOMATED, $user_agent )
			&& ! self::is_declared_agent( $user_agent );
	}

	/**
	 * Whether it names an agent that is known. A whole word: `MyGPTBotHunter` is somebody else.
	 *
	 * @param string $user_agent The header.
	 */
	private static function is_declared_agent( string $user_agent ): bool {
		$names = array_map( static fn( string $name ): string => preg_quote( $name, '/' ), Document::tables()['agents'] );
		return 1 === preg_match( '/(?<![A-Za-z0-9])(?:' . implode( '|', $names ) . ')(?![A-Za-z0-9])/i', $user_agent );
	}
}
