<?php
/**
 * The fields of a JSON object.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

defined( 'ABSPATH' ) || exit;

/**
 * Reads fields strictly. Fields that nobody asks for are ignored.
 */
final class Fields {
	public const MINOR_MAX = 1_000_000_000_000;

	private const DEPTH_MAX      = 10;
	private const ID_PATTERN     = '/^[^\x00-\x1f\x7f]{1,100}$/uD';
	private const TEXT_CHARS_MAX = 1000;

	/**
	 * Use read().
	 *
	 * @param array<mixed> $fields Values by name.
	 */
	private function __construct( private readonly array $fields ) {}

	/**
	 * Reads an object.
	 *
	 * @param string $json What was sent.
	 * @throws Unreadable_Message If it is not an object.
	 */
	public static function read( string $json ): self {
		$object = json_decode( $json, true, self::DEPTH_MAX );
		if ( ! is_array( $object ) || ! str_starts_with( ltrim( $json ), '{' ) ) {
			throw new Unreadable_Message( 'The body must be a JSON object.' );
		}
		return new self( $object );
	}

	/**
	 * An id, as it was sent.
	 *
	 * @param string $name Name of the field.
	 */
	public function id( string $name ): string {
		$value = $this->fields[ $name ] ?? null;
		return is_string( $value ) && 1 === preg_match( self::ID_PATTERN, $value ) ? $value : self::refuse( $name );
	}

	/**
	 * A text in one line; empty if there is none.
	 *
	 * @param string $name Name of the field.
	 */
	public function text( string $name ): string {
		$value = $this->fields[ $name ] ?? '';
		if ( ! is_string( $value ) || mb_strlen( $value, 'UTF-8' ) > self::TEXT_CHARS_MAX ) {
			self::refuse( $name );
		}
		return sanitize_text_field( $value );
	}

	/**
	 * An email address; empty if there is none. A wrong one is not mended, because it could become somebody else's.
	 *
	 * @param string $name Name of the field.
	 */
	public function email( string $name ): string {
		$value = $this->fields[ $name ] ?? '';
		return is_string( $value ) && false !== is_email( $value ) ? $value : '';
	}

	/**
	 * A whole number.
	 *
	 * @param string $name  Name of the field.
	 * @param int    $least Smallest allowed value.
	 * @param int    $most  Largest allowed value.
	 */
	public function integer( string $name, int $least, int $most ): int {
		$value = $this->fields[ $name ] ?? null;
		return is_int( $value ) && $value >= $least && $value <= $most ? $value : self::refuse( $name );
	}

	/**
	 * An amount in minor units.
	 *
	 * @param string $name Name of the field.
	 */
	public function minor( string $name ): int {
		return $this->integer( $name, 0, self::MINOR_MAX );
	}

	/**
	 * The code of a currency.
	 *
	 * @param string $name Name of the field.
	 */
	public function currency( string $name ): string {
		$value = $this->fields[ $name ] ?? null;
		return is_string( $value ) && 1 === preg_match( '/^[A-Z]{3}$/D', $value ) ? $value : self::refuse( $name );
	}

	/**
	 * True or false.
	 *
	 * @param string $name Name of the field.
	 */
	public function boolean( string $name ): bool {
		$value = $this->fields[ $name ] ?? null;
		return is_bool( $value ) ? $value : self::refuse( $name );
	}

	/**
	 * Whether there is a value that is not null.
	 *
	 * @param string $name Name of the field.
	 */
	public function has( string $name ): bool {
		return isset( $this->fields[ $name ] );
	}

	/**
	 * An object.
	 *
	 * @param string $name Name of the field.
	 */
	public function fields( string $name ): self {
		$value = $this->fields[ $name ] ?? null;
		return is_array( $value ) ? new self( $value ) : self::refuse( $name );
	}

	/**
	 * The objects of a list.
	 *
	 * @param string $name  Name of the field.
	 * @param int    $least How many there must be.
	 * @param int    $most  How many there can be.
	 * @return self[]
	 */
	public function each( string $name, int $least, int $most ): array {
		$objects = array();
		foreach ( $this->listed( $name, $least, $most ) as $value ) {
			$objects[] = is_array( $value ) ? new self( $value ) : self::refuse( $name );
		}
		return $objects;
	}

	/**
	 * The texts of a list.
	 *
	 * @param string $name Name of the field.
	 * @param int    $most How many there can be.
	 * @return string[]
	 */
	public function texts( string $name, int $most ): array {
		$texts = array();
		foreach ( $this->listed( $name, 0, $most ) as $value ) {
			$texts[] = is_string( $value ) && mb_strlen( $value, 'UTF-8' ) <= self::TEXT_CHARS_MAX ? $value : self::refuse( $name );
		}
		return $texts;
	}

	/**
	 * A list.
	 *
	 * @param string $name  Name of the field.
	 * @param int    $least How many there must be.
	 * @param int    $most  How many there can be.
	 * @return array<int, mixed>
	 */
	private function listed( string $name, int $least, int $most ): array {
		$value = $this->fields[ $name ] ?? null;
		if ( ! is_array( $value ) || ! array_is_list( $value ) || count( $value ) < $least || count( $value ) > $most ) {
			self::refuse( $name );
		}
		return $value;
	}

	/**
	 * Says which field cannot be read.
	 *
	 * @param string $name Name of the field.
	 * @throws Unreadable_Message Always.
	 */
	private static function refuse( string $name ): never {
		// phpcs:ignore WordPress.Security.EscapeOutput.ExceptionNotEscaped -- becomes JSON; names come from our own code.
		throw new Unreadable_Message( "$name: is missing or not valid." );
	}
}
