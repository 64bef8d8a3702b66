<?php
/**
 * A document as this site keeps it.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * The copy of a document in the options, or the reason why there is none. Times are in seconds.
 */
final class Kept_Document {
	private const OPTION = 'gatehouse_document_';
	/**
	 * How long a document that could not be renewed is still served, unless it expires earlier.
	 */
	private const STALE_S_MAX = DAY_IN_SECONDS;

	/**
	 * Use load().
	 *
	 * @param string                $name        Name of the document.
	 * @param string                $body        Its bytes; empty if there is no copy.
	 * @param array<string, string> $headers     Headers that describe the bytes.
	 * @param int                   $kept_at     When it was fetched.
	 * @param int                   $fresh_until Until when it is served without asking again.
	 * @param int|null              $expires_at  When its signature expires; null if nothing in it expires.
	 * @param int                   $not_before  Before this time Gatehouse is not asked again.
	 * @param string                $problem     Why the last attempt failed; empty if it did not.
	 */
	public function __construct(
		private readonly string $name,
		public readonly string $body = '',
		public readonly array $headers = array(),
		public readonly int $kept_at = 0,
		public readonly int $fresh_until = 0,
		public readonly ?int $expires_at = null,
		public readonly int $not_before = 0,
		public readonly string $problem = '',
	) {}

	/**
	 * The copy, which is empty if nothing was fetched yet.
	 *
	 * @param Document $document Which document.
	 */
	public static function load( Document $document ): self {
		$kept = get_option( self::OPTION . $document->name() );
		if ( ! is_array( $kept ) ) {
			return new self( $document->name() );
		}
		// phpcs:ignore WordPress.PHP.DiscouragedPHPFunctions.obfuscation_base64_decode -- keeps bytes exact in any character set.
		$kept['body'] = (string) base64_decode( (string) $kept['body'], true );
		// A copy of an earlier version of the plugin may have other values.
		$known = array_intersect_key( $kept, get_object_vars( new self( $document->name() ) ) );
		unset( $known['name'] );
		return new self( $document->name(), ...$known );
	}

	/**
	 * Removes the copy.
	 *
	 * @param Document $document Which document.
	 */
	public static function remove( Document $document ): void {
		delete_option( self::OPTION . $document->name() );
	}

	/**
	 * The same document with some values changed.
	 *
	 * @param array<string, mixed> $changes Values by the names of the properties.
	 */
	public function with( array $changes ): self {
		return new self( ...array_merge( get_object_vars( $this ), $changes ) );
	}

	/**
	 * Keeps it. Only requests for documents read it, so pages do not load it.
	 */
	public function save(): void {
		$kept = get_object_vars( $this );
		unset( $kept['name'] );
		// phpcs:ignore WordPress.PHP.DiscouragedPHPFunctions.obfuscation_base64_encode -- keeps bytes exact in any character set.
		$kept['body'] = base64_encode( $this->body );
		update_option( self::OPTION . $this->name, $kept, false );
	}

	/**
	 * Whether it may be served without asking Gatehouse again.
	 *
	 * @param int $now Seconds.
	 */
	public function is_fresh( int $now ): bool {
		return '' !== $this->body && $now < $this->fresh_until;
	}

	/**
	 * Whether it may be served at all, apart from the expiry of its signature.
	 *
	 * @param int $now Seconds.
	 */
	public function is_usable( int $now ): bool {
		return '' !== $this->body && $now < $this->kept_at + self::STALE_S_MAX;
	}

	/**
	 * Whether its signature has expired.
	 *
	 * @param int $now Seconds.
	 */
	public function is_expired( int $now ): bool {
		return null !== $this->expires_at && $now >= $this->expires_at;
	}
}
