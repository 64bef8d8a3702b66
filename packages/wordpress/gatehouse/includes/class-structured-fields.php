<?php
/**
 * Structured fields (RFC 8941), as far as signatures use them.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * Parses and writes dictionaries and items. A bare item is a pair of its type and its value. A member is
 * an array of `value`, which is a bare item, or `items`, which is a list of members, and `parameters`.
 */
final class Structured_Fields {
	/**
	 * Position in the text.
	 *
	 * @var int
	 */
	private int $at = 0;
	/**
	 * Whether a label, or a parameter, was written twice; the later one counts.
	 *
	 * @var bool
	 */
	public bool $has_duplicate_label = false;
	/**
	 * Whether a parameter was written twice.
	 *
	 * @var bool
	 */
	public bool $has_duplicate_parameter = false;

	/**
	 * Prepares a text for parsing.
	 *
	 * @param string $text Value of a header.
	 */
	public function __construct( private readonly string $text ) {}

	/**
	 * Parses a dictionary.
	 *
	 * @return array<string, array<string, mixed>> Members by their labels.
	 * @throws Malformed_Field If the text is none.
	 */
	public function dictionary(): array {
		$members = array();
		$this->take( '/ */' );
		while ( ! $this->is_end() ) {
			$label = $this->key();
			if ( isset( $members[ $label ] ) ) {
				$this->has_duplicate_label = true;
			}
			$members[ $label ] = $this->member();
			$this->take( '/[ \t]*/' );
			if ( $this->is_end() ) {
				break;
			}
			$this->need( '/,[ \t]*/' );
			if ( $this->is_end() ) {
				throw new Malformed_Field();
			}
		}
		return $members;
	}

	/**
	 * Parses a single item.
	 *
	 * @return array<string, mixed>
	 * @throws Malformed_Field If the text is none.
	 */
	public function item(): array {
		$this->take( '/ */' );
		$item = $this->item_with_parameters();
		$this->take( '/ */' );
		if ( ! $this->is_end() ) {
			throw new Malformed_Field();
		}
		return $item;
	}

	/**
	 * What follows the label of a dictionary.
	 *
	 * @return array<string, mixed>
	 * @throws Malformed_Field If it cannot be read.
	 */
	private function member(): array {
		if ( null === $this->take( '/=/' ) ) {
			return array(
				'value'      => array( 'boolean', true ),
				'parameters' => $this->parameters(),
			);
		}
		if ( null === $this->take( '/\(/' ) ) {
			return $this->item_with_parameters();
		}
		$items = array();
		$this->take( '/ */' );
		while ( null === $this->take( '/\)/' ) ) {
			$items[] = $this->item_with_parameters();
			if ( null === $this->take( '/ +|(?=\))/' ) ) {
				throw new Malformed_Field();
			}
		}
		return array(
			'items'      => $items,
			'parameters' => $this->parameters(),
		);
	}

	/**
	 * An item and its parameters.
	 *
	 * @return array<string, mixed>
	 */
	private function item_with_parameters(): array {
		return array(
			'value'      => $this->bare_item(),
			'parameters' => $this->parameters(),
		);
	}

	/**
	 * Parameters by name.
	 *
	 * @return array<string, array{string, mixed}>
	 */
	private function parameters(): array {
		$parameters = array();
		while ( null !== $this->take( '/; */' ) ) {
			$name = $this->key();
			if ( isset( $parameters[ $name ] ) ) {
				$this->has_duplicate_parameter = true;
			}
			$parameters[ $name ] = null === $this->take( '/=/' ) ? array( 'boolean', true ) : $this->bare_item();
		}
		return $parameters;
	}

	/**
	 * A bare item.
	 *
	 * @return array{string, mixed}
	 * @throws Malformed_Field If there is none.
	 */
	private function bare_item(): array {
		$text = $this->take( '/"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\\\["\\\\])*"/' );
		if ( null !== $text ) {
			return array( 'string', preg_replace( '/\\\\(.)/', '$1', substr( $text, 1, -1 ) ) );
		}
		$text = $this->take( '/:[A-Za-z0-9+\/=]*:/' );
		if ( null !== $text ) {
			// phpcs:ignore WordPress.PHP.DiscouragedPHPFunctions.obfuscation_base64_decode -- the format of the header.
			$bytes = base64_decode( substr( $text, 1, -1 ), true );
			if ( false === $bytes ) {
				throw new Malformed_Field();
			}
			return array( 'bytes', $bytes );
		}
		$text = $this->take( '/\?[01]/' );
		if ( null !== $text ) {
			return array( 'boolean', '?1' === $text );
		}
		$text = $this->take( '/-?(?:\d{1,12}\.\d{1,3}(?![\d.])|\d{1,15}(?![\d.]))/' );
		if ( null !== $text ) {
			return str_contains( $text, '.' ) ? array( 'decimal', $text ) : array( 'integer', (int) $text );
		}
		return array( 'token', $this->need( '/[A-Za-z*][:\/!#$%&\'*+\-.^_`|~A-Za-z0-9]*/' ) );
	}

	/**
	 * A label or the name of a parameter.
	 */
	private function key(): string {
		return $this->need( '/[a-z*][a-z0-9_\-.*]*/' );
	}

	/**
	 * Takes what the pattern matches here; null if it does not match.
	 *
	 * @param string $pattern Regular expression.
	 */
	private function take( string $pattern ): ?string {
		if ( 1 !== preg_match( $pattern . 'A', $this->text, $found, 0, $this->at ) ) {
			return null;
		}
		$this->at += strlen( $found[0] );
		return $found[0];
	}

	/**
	 * Takes what must be here.
	 *
	 * @param string $pattern Regular expression.
	 * @throws Malformed_Field If it is not.
	 */
	private function need( string $pattern ): string {
		return $this->take( $pattern ) ?? throw new Malformed_Field();
	}

	/**
	 * Whether everything was read.
	 */
	private function is_end(): bool {
		return $this->at >= strlen( $this->text );
	}

	/**
	 * Writes a member, an item or an inner list, as a signature covers it.
	 *
	 * @param array<string, mixed> $member What dictionary() or item() returned.
	 */
	public static function write( array $member ): string {
		$value = isset( $member['items'] )
			? '(' . implode( ' ', array_map( array( self::class, 'write' ), $member['items'] ) ) . ')'
			: self::write_bare( $member['value'] );
		foreach ( $member['parameters'] as $name => $parameter ) {
			$value .= ';' . $name;
			if ( array( 'boolean', true ) !== $parameter ) {
				$value .= '=' . self::write_bare( $parameter );
			}
		}
		return $value;
	}

	/**
	 * Writes a bare item.
	 *
	 * @param array{string, mixed} $item Type and value.
	 */
	private static function write_bare( array $item ): string {
		[ $type, $value ] = $item;
		return match ( $type ) {
			'string' => '"' . addcslashes( $value, '"\\' ) . '"',
			// phpcs:ignore WordPress.PHP.DiscouragedPHPFunctions.obfuscation_base64_encode -- the format of the header.
			'bytes' => ':' . base64_encode( $value ) . ':',
			'boolean' => $value ? '?1' : '?0',
			'decimal' => (string) preg_replace( '/(\.\d+?)0+$/', '$1', $value ),
			default => (string) $value,
		};
	}
}
