<?php
/**
 * A document of Gatehouse that this site serves on its own domain.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * One of the documents, in one of its forms.
 */
final class Document {
	private const MARKDOWN = 'text/markdown';
	/**
	 * Media type of each document; what is not listed is JSON.
	 */
	private const TYPES = array(
		'llms'      => 'text/plain',
		'agentsMd'  => self::MARKDOWN,
		'agentPage' => 'text/html',
		'did'       => 'application/did+json',
	);

	/**
	 * Use at() or all().
	 *
	 * @param string $kind   Name of the document, such as `card`.
	 * @param string $path   Where it is on this site.
	 * @param string $source Where it is at Gatehouse, with a placeholder for the site.
	 * @param string $accept Media type to ask for.
	 */
	private function __construct(
		public readonly string $kind,
		public readonly string $path,
		private readonly string $source,
		public readonly string $accept,
	) {}

	/**
	 * Lists generated from the protocol package.
	 *
	 * @return array{documents: array<string, array{string, string}>, verification_path: string, agents: string[]}
	 */
	public static function tables(): array {
		static $tables = null;
		$tables      ??= require __DIR__ . '/tables.php';
		return $tables;
	}

	/**
	 * The document that a path names, in the form a client prefers; null for every other path.
	 *
	 * @param string $path   Path as it came: `/x/../llms.txt` is another path.
	 * @param string $accept The client's `Accept` header.
	 */
	public static function at( string $path, string $accept ): ?self {
		$found = self::tables()['documents'][ $path ] ?? null;
		if ( null === $found ) {
			return null;
		}
		[ $kind, $source ] = $found;
		$type              = self::TYPES[ $kind ] ?? 'application/json';
		$markdown          = str_starts_with( $type, 'text/' ) && Accept::prefers_markdown( $accept, $type );
		return new self( $kind, $path, $source, $markdown ? self::MARKDOWN : $type );
	}

	/**
	 * All documents, those with two forms twice.
	 *
	 * @return self[]
	 */
	public static function all(): array {
		$all = array();
		foreach ( array_keys( self::tables()['documents'] ) as $path ) {
			foreach ( array( '*/*', self::MARKDOWN ) as $accept ) {
				$document                 = self::at( $path, $accept );
				$all[ $document->name() ] = $document;
			}
		}
		return array_values( $all );
	}

	/**
	 * Name of the option that keeps it.
	 */
	public function name(): string {
		return $this->is_converted() ? $this->kind . '_markdown' : $this->kind;
	}

	/**
	 * Where Gatehouse has it.
	 *
	 * @param Settings $settings The connection.
	 */
	public function address( Settings $settings ): string {
		return $settings->gatehouse . preg_replace( '/\{site_key(?:_hash)?\}/', $settings->site_key_hash(), $this->source );
	}

	/**
	 * Whether this is the Markdown form of a document of another type.
	 */
	private function is_converted(): bool {
		return self::MARKDOWN === $this->accept && 'agentsMd' !== $this->kind;
	}

	/**
	 * Whether a text is this document. Something else in Gatehouse's place must not speak for the site.
	 *
	 * @param string $text Body of an answer.
	 */
	public function holds( string $text ): bool {
		return Document_Check::holds( $this->is_converted() ? 'agentsMd' : $this->kind, $text );
	}

	/**
	 * When its signature expires, in seconds; null if nothing in it expires, false if the time is missing.
	 *
	 * @param string $text The document.
	 */
	public function expiry( string $text ): int|false|null {
		return $this->is_converted() ? null : Document_Check::expiry( $this->kind, $text );
	}
}
