<?php
/**
 * The work that no visitor waits for.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

use Gatehouse\WooCommerce\Shop_Connection;

defined( 'ABSPATH' ) || exit;

/**
 * Reports visits, fetches keys of agents, and renews documents.
 */
final class Background {
	private const LOCK = 'background';
	/**
	 * Seconds after which a run begins nothing more, and after which its lock counts as left behind.
	 */
	private const RUN_S_MAX  = 40;
	private const LOCK_S_MAX = 120;
	/**
	 * Documents are renewed at this age. Cards live for ten minutes or more, so a missed run does no harm.
	 */
	private const RENEW_AFTER_S = 4 * MINUTE_IN_SECONDS;

	/**
	 * Does what is due. Two runs at once would report visits twice, so the second one does nothing.
	 */
	public static function run(): void {
		$settings = Settings::current();
		$lock     = null === $settings ? null : Lock::take( self::LOCK, self::LOCK_S_MAX );
		if ( null === $lock ) {
			return;
		}
		try {
			$until = time() + self::RUN_S_MAX;
			Visit_Reporter::run( $settings );
			Key_Directories::run( $until );
			self::renew( $settings, self::RENEW_AFTER_S, $until );
			Shop_Connection::resume( $settings );
			Status::note( 'ran_at', (string) time() );
		} finally {
			$lock->free();
		}
	}

	/**
	 * Renews documents.
	 *
	 * @param Settings $settings The connection.
	 * @param int      $age_s    Only copies that are at least so old.
	 * @param int|null $until    Seconds; later no further one is begun.
	 */
	public static function renew( Settings $settings, int $age_s = 0, ?int $until = null ): void {
		foreach ( Document::all() as $document ) {
			$kept = Kept_Document::load( $document );
			$due  = time() >= $kept->kept_at + $age_s && ! in_array( $document->path, $settings->except, true );
			if ( $due && ( null === $until || time() < $until ) ) {
				Document_Source::renew( $document, $kept, $settings, Gatehouse_Client::BACKGROUND_S );
			}
		}
	}
}
