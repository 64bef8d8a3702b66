<?php
/**
 * One signature of a request, as its headers describe it.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * Reads a signature strictly, and makes the bytes that it is over (RFC 9421 section 2.5).
 */
final class Signature_Input {
	/**
	 * Use read().
	 *
	 * @param array<string, mixed> $member    The member of `Signature-Input`.
	 * @param string               $signature Bytes of the signature.
	 */
	private function __construct(
		private readonly array $member,
		public readonly string $signature,
	) {}

	/**
	 * Reads the signature with a label.
	 *
	 * @param Signed_Request $request The request.
	 * @param string         $label   Label of the signature.
	 * @throws Unproven If something about it is wrong.
	 */
	public static function read( Signed_Request $request, string $label ): self {
		if ( '' === $request->header( 'signature' ) ) {
			throw new Unproven( 'invalid', 'missing_field' );
		}
		$signatures = self::strict_dictionary( $request->header( 'signature' ) );
		foreach ( $signatures as $member ) {
			if ( 'bytes' !== ( $member['value'][0] ?? '' ) || array() !== $member['parameters'] ) {
				throw new Unproven( 'invalid', 'malformed_field' );
			}
		}
		$inputs = self::strict_dictionary( $request->header( 'signature-input' ) );
		foreach ( $inputs as $member ) {
			if ( ! isset( $member['items'] ) ) {
				throw new Unproven( 'invalid', 'malformed_field' );
			}
		}
		if ( array() !== array_diff_key( $signatures, $inputs ) || array() !== array_diff_key( $inputs, $signatures ) ) {
			throw new Unproven( 'invalid', 'label_mismatch' );
		}
		$input = new self( $inputs[ $label ], $signatures[ $label ]['value'][1] );
		$input->check_components();
		$input->check_parameters();
		return $input;
	}

	/**
	 * A dictionary in which nothing is written twice.
	 *
	 * @param string $header Value of a header.
	 * @return array<string, array<string, mixed>>
	 * @throws Unproven If it is none.
	 */
	private static function strict_dictionary( string $header ): array {
		$fields = new Structured_Fields( $header );
		try {
			$members = $fields->dictionary();
		} catch ( Malformed_Field ) {
			throw new Unproven( 'invalid', 'malformed_field' );
		}
		if ( $fields->has_duplicate_label ) {
			throw new Unproven( 'invalid', 'duplicate_label' );
		}
		if ( $fields->has_duplicate_parameter ) {
			throw new Unproven( 'invalid', 'malformed_field' );
		}
		return $members;
	}

	/**
	 * Checks the names of what is covered.
	 *
	 * @throws Unproven If one of them is wrong.
	 */
	private function check_components(): void {
		$seen = array();
		foreach ( $this->member['items'] as $item ) {
			[ $type, $name ] = $item['value'];
			if ( 'string' !== $type || strtolower( $name ) !== $name ) {
				throw new Unproven( 'invalid', 'malformed_field' );
			}
			if ( 1 !== preg_match( "/^@?[!#$%&'*+.^_`|~0-9a-z-]+$/D", $name ) ) {
				throw new Unproven( 'invalid', 'invalid_component' );
			}
			foreach ( $item['parameters'] as $parameter => $value ) {
				if ( 'key' !== $parameter ) {
					throw new Unproven( 'invalid', 'req' === $parameter ? 'invalid_component' : 'unsupported_feature' );
				}
				if ( 'string' !== $value[0] || str_starts_with( $name, '@' ) ) {
					throw new Unproven( 'invalid', 'invalid_component' );
				}
			}
			$identity = Structured_Fields::write( $item );
			if ( isset( $seen[ $identity ] ) ) {
				throw new Unproven( 'invalid', 'duplicate_component' );
			}
			$seen[ $identity ] = true;
		}
	}

	/**
	 * Checks the types of the parameters that have a meaning.
	 *
	 * @throws Unproven If one of them is wrong.
	 */
	private function check_parameters(): void {
		$types = array(
			'created' => 'integer',
			'expires' => 'integer',
			'nonce'   => 'string',
			'alg'     => 'string',
			'keyid'   => 'string',
			'tag'     => 'string',
		);
		foreach ( $types as $name => $type ) {
			$parameter = $this->member['parameters'][ $name ] ?? null;
			if ( null !== $parameter && $parameter[0] !== $type ) {
				throw new Unproven( 'invalid', 'malformed_field' );
			}
		}
	}

	/**
	 * A parameter; null if it is absent.
	 *
	 * @param string $name Such as `keyid`.
	 */
	public function parameter( string $name ): string|int|null {
		return $this->member['parameters'][ $name ][1] ?? null;
	}

	/**
	 * Whether a component is covered, by its name and perhaps its key.
	 *
	 * @param string      $name Such as `@authority`.
	 * @param string|null $key  Label in a dictionary; null for the whole component.
	 */
	public function covers( string $name, ?string $key = null ): bool {
		foreach ( $this->member['items'] as $item ) {
			if ( $item['value'][1] === $name && ( $item['parameters']['key'][1] ?? null ) === $key ) {
				return true;
			}
		}
		return false;
	}

	/**
	 * The bytes that the signature is over.
	 *
	 * @param Signed_Request $request The request.
	 * @throws Unproven If something that is covered is missing.
	 */
	public function base( Signed_Request $request ): string {
		$lines = array();
		foreach ( $this->member['items'] as $item ) {
			$lines[] = Structured_Fields::write( $item ) . ': ' . $this->value_of( $item, $request );
		}
		$lines[] = '"@signature-params": ' . Structured_Fields::write( $this->member );
		return implode( "\n", $lines );
	}

	/**
	 * The value of one component.
	 *
	 * @param array<string, mixed> $item    The component.
	 * @param Signed_Request       $request The request.
	 * @throws Unproven If it is missing.
	 */
	private function value_of( array $item, Signed_Request $request ): string {
		$name = $item['value'][1];
		if ( str_starts_with( $name, '@' ) ) {
			return $request->derived( $name );
		}
		$value = $request->header( $name );
		if ( '' === $value ) {
			throw new Unproven( 'invalid', 'missing_field' );
		}
		if ( 1 === preg_match( '/[^\t\x20-\x7e]/', $value ) ) {
			throw new Unproven( 'invalid', 'malformed_field' );
		}
		$key = $item['parameters']['key'][1] ?? null;
		if ( null === $key ) {
			return $value;
		}
		try {
			$member = ( new Structured_Fields( $value ) )->dictionary()[ $key ] ?? null;
		} catch ( Malformed_Field ) {
			throw new Unproven( 'invalid', 'malformed_field' );
		}
		return null === $member ? throw new Unproven( 'invalid', 'missing_field' ) : Structured_Fields::write( $member );
	}
}
