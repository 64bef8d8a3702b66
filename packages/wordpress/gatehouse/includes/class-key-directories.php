<?php
/**
 * The keys that agents publish.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

// phpcs:disable WordPress.DB.DirectDatabaseQuery, WordPress.DB.PreparedSQL.InterpolatedNotPrepared -- our own table, whose name is a constant.

/**
 * Keys by the address they are published at. A visit uses the keys that are known; what is missing is
 * fetched in the background, for the next visit.
 */
final class Key_Directories {
	/**
	 * Directories that are remembered. Those that never gave keys are dropped first.
	 */
	private const DIRECTORIES_MAX = 500;
	/**
	 * Directories that one run in the background fetches.
	 */
	private const FETCHES_MAX = 10;
	private const KEYS_MAX    = 32;
	private const FRESH_S_MIN = 60;
	private const FRESH_S_MAX = DAY_IN_SECONDS;
	/**
	 * How long keys are used whose directory cannot be read again.
	 */
	private const STALE_S_MAX = DAY_IN_SECONDS;
	/**
	 * How long a directory that failed, or lacked a key, is not asked again.
	 */
	private const AGAIN_S = 5 * MINUTE_IN_SECONDS;

	/**
	 * A key that is known, or a word that says why there is none.
	 *
	 * @param string|null $source     Address of the directory.
	 * @param string      $thumbprint Names the key.
	 */
	public static function find( ?string $source, string $thumbprint ): Agent_Key|string {
		if ( null === $source ) {
			return 'unknown_key';
		}
		if ( ! Key_Fetcher::may_fetch( $source ) ) {
			return 'not_reachable';
		}
		global $wpdb;
		$table = Storage::directories();
		$now   = time();
		$row   = $wpdb->get_row( $wpdb->prepare( "SELECT * FROM $table WHERE id = %s", hash( 'sha256', $source ) ) );
		if ( null === $row ) {
			self::want( $source, $now );
			return 'not_reachable';
		}
		$jwk = json_decode( $row->jwks, true )[ $thumbprint ] ?? null;
		if ( ( null === $jwk || $now >= (int) $row->fresh_until ) && $now >= (int) $row->not_before && ! $row->wanted ) {
			self::update( $row->id, array( 'wanted' => 1 ) );
		}
		if ( $now >= (int) $row->used_at + HOUR_IN_SECONDS ) {
			self::update( $row->id, array( 'used_at' => $now ) );
		}
		if ( $now >= (int) $row->stale_until ) {
			return 'not_reachable';
		}
		return Agent_Key::read( $jwk ) ?? 'unknown_key';
	}

	/**
	 * Fetches the directories that visits have asked for.
	 *
	 * @param int $until Seconds; later no further one is begun.
	 */
	public static function run( int $until ): void {
		global $wpdb;
		$table = Storage::directories();
		$rows  = (array) $wpdb->get_results( $wpdb->prepare( "SELECT id, source FROM $table WHERE wanted = 1 ORDER BY used_at LIMIT %d", self::FETCHES_MAX ) );
		foreach ( $rows as $row ) {
			if ( time() >= $until ) {
				return;
			}
			// Before the fetch: a directory at which PHP stops must not be the first of every run.
			self::update(
				$row->id,
				array(
					'wanted'     => 0,
					'not_before' => time() + self::AGAIN_S,
				)
			);
			self::update( $row->id, self::fetch( $row->source ) );
		}
	}

	/**
	 * Remembers that a directory should be fetched.
	 *
	 * @param string $source Its address.
	 * @param int    $now    Seconds.
	 */
	private static function want( string $source, int $now ): void {
		global $wpdb;
		$table = Storage::directories();
		if ( (int) $wpdb->get_var( "SELECT COUNT(*) FROM $table" ) >= self::DIRECTORIES_MAX ) {
			$oldest = $wpdb->get_var( "SELECT id FROM $table ORDER BY CASE WHEN stale_until = 0 THEN 0 ELSE 1 END, used_at LIMIT 1" );
			$wpdb->delete( $table, array( 'id' => $oldest ), array( '%s' ) );
		}
		// Another request may have been quicker, which is no error.
		$wpdb->query(
			$wpdb->prepare(
				"INSERT IGNORE INTO $table (id, source, jwks, fresh_until, stale_until, not_before, wanted, used_at) VALUES (%s, %s, '{}', 0, 0, 0, 1, %d)",
				hash( 'sha256', $source ),
				$source,
				$now
			)
		);
	}

	/**
	 * What a fetch changes. A failure keeps the keys that are known; a whole answer replaces them.
	 *
	 * @param string $source Address of the directory.
	 * @return array<string, int|string>
	 */
	private static function fetch( string $source ): array {
		$answer = Key_Fetcher::fetch( $source );
		$keys   = null === $answer ? null : self::read( $answer['body'] );
		$now    = time();
		if ( null === $keys ) {
			return array( 'not_before' => $now + self::AGAIN_S );
		}
		$fresh_until = $now + Max_Age::seconds( $answer['cache_control'], self::FRESH_S_MIN, self::FRESH_S_MAX );
		return array(
			'jwks'        => (string) wp_json_encode( (object) $keys ),
			'fresh_until' => $fresh_until,
			'stale_until' => $fresh_until + self::STALE_S_MAX,
			'not_before'  => min( $fresh_until, $now + self::AGAIN_S ),
		);
	}

	/**
	 * The keys of a directory, of a key set, or of a client's metadata that holds one.
	 *
	 * @param string $body The document.
	 * @return array<string, array<string, string>>|null Keys by their thumbprints; null if it is no directory.
	 */
	private static function read( string $body ): ?array {
		$document = json_decode( $body, true, 16 );
		$listed   = $document['keys'] ?? $document['jwks']['keys'] ?? null;
		if ( ! is_array( $listed ) || ! array_is_list( $listed ) || count( $listed ) > self::KEYS_MAX ) {
			return null;
		}
		$keys = array();
		foreach ( $listed as $jwk ) {
			$key = self::is_current( $jwk ) ? Agent_Key::read( $jwk ) : null;
			if ( null !== $key ) {
				$keys[ $key->thumbprint ] = $key->jwk;
			}
		}
		return $keys;
	}

	/**
	 * Whether a key's own dates allow it now.
	 *
	 * @param mixed $jwk JSON web key.
	 */
	private static function is_current( mixed $jwk ): bool {
		if ( ! is_array( $jwk ) ) {
			return false;
		}
		$now    = time();
		$moment = static fn( mixed $value ): int|float|null => is_int( $value ) || is_float( $value ) ? $value : null;
		return ( $moment( $jwk['nbf'] ?? null ) ?? $now ) <= $now && $now < ( $moment( $jwk['exp'] ?? null ) ?? INF );
	}

	/**
	 * Changes a row.
	 *
	 * @param string                    $id      Of the row.
	 * @param array<string, int|string> $changes Values by column.
	 */
	private static function update( string $id, array $changes ): void {
		global $wpdb;
		$wpdb->update( Storage::directories(), $changes, array( 'id' => $id ) );
	}
}
