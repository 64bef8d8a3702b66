<?php
/**
 * Checks the signatures that agents put on page requests (RFC 9421 with the profile of Web Bot Auth).
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * Says what a request's signatures are worth. The page is served whatever it says.
 */
final class Web_Bot_Auth {
	private const HEADER_CHARS_MAX = 4096;
	/**
	 * Signatures of a request, and what one of them may cover.
	 */
	private const LABELS_MAX     = 3;
	private const COMPONENTS_MAX = 16;
	private const BLANKS         = '/[\t ]{65}/';
	private const CLOCK_SKEW_S   = 60;
	/**
	 * How many seconds a signature of each tag may live. The last two must cover the path too.
	 */
	private const TAGS = array(
		'web-bot-auth'       => DAY_IN_SECONDS,
		'agent-browser-auth' => 480,
		'agent-payer-auth'   => 480,
	);
	/**
	 * Keys printed in drafts: who signs with one has proven nothing.
	 */
	private const PUBLISHED_KEYS = array(
		'poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U',
		'oD0HwocPBSfpNy5W3bpJeyFGY_IQ_YpqxSjQ3Yd-CLA',
	);

	/**
	 * Prepares a check.
	 *
	 * @param \Closure $find_key             Takes the source (or null) and the thumbprint; returns an Agent_Key, or
	 *                                       `unknown_key` or `not_reachable`.
	 * @param int      $now                  Seconds.
	 * @param bool     $allow_published_keys For tests with printed keys.
	 * @param int|null $life_max_s           Seconds a signature may live, for tests with printed signatures.
	 */
	public function __construct(
		private readonly \Closure $find_key,
		private readonly int $now,
		private readonly bool $allow_published_keys = false,
		private readonly ?int $life_max_s = null,
	) {}

	/**
	 * Checks a request. One verified signature makes it verified; else one invalid one makes it invalid.
	 *
	 * @param Signed_Request $request The request.
	 * @return array{outcome: string, reason: string|null, key_id: string|null, agent_url: string|null}|null Null if it is not signed.
	 */
	public function verify( Signed_Request $request ): ?array {
		$header = $request->header( 'signature-input' );
		if ( '' === $header ) {
			return null;
		}
		try {
			$members = strlen( $header ) > self::HEADER_CHARS_MAX ? null : ( new Structured_Fields( $header ) )->dictionary();
		} catch ( Malformed_Field ) {
			$members = null;
		}
		if ( null === $members || count( $members ) > self::LABELS_MAX ) {
			return self::verdict( 'invalid', 'malformed' );
		}
		$announced = array_filter( $members, static fn( array $member ): bool => isset( self::TAGS[ self::tag_of( $member ) ] ) );
		if ( array() === $announced ) {
			return null;
		}
		$named  = $request->header( 'signature-agent' );
		$agents = '' === $named ? null : Signature_Agent::read( $named );
		if ( '' !== $named && null === $agents ) {
			return self::verdict( 'invalid', 'bad_signature_agent' );
		}
		$verdicts = array();
		foreach ( $announced as $label => $member ) {
			$verdict = $this->verify_one( $request, (string) $label, $member, $agents );
			if ( 'verified' === $verdict['outcome'] ) {
				return $verdict;
			}
			$verdicts[] = $verdict;
		}
		$invalid = array_values( array_filter( $verdicts, static fn( array $one ): bool => 'invalid' === $one['outcome'] ) );
		return $invalid[0] ?? $verdicts[0];
	}

	/**
	 * Checks one signature.
	 *
	 * @param Signed_Request         $request The request.
	 * @param string                 $label   Label of the signature.
	 * @param array<string, mixed>   $member  What the header announces.
	 * @param Signature_Agent[]|null $agents  Null if the header is absent.
	 * @return array<string, string|null>
	 * @throws Unproven Never: it is caught here.
	 */
	private function verify_one( Signed_Request $request, string $label, array $member, ?array $agents ): array {
		$key_id    = null;
		$agent_url = null;
		try {
			self::check_size( $request, $member );
			$this->check_times( $member );
			$input = Signature_Input::read( $request, $label );
			$base  = $input->base( $request );
			$alg   = $input->parameter( 'alg' );
			if ( null === $input->parameter( 'keyid' ) || ( null !== $alg && ! in_array( $alg, Agent_Key::ALGORITHMS, true ) ) ) {
				throw new Unproven( 'invalid', 'policy_violation' );
			}
			$key_id = $input->parameter( 'keyid' );
			self::check_coverage( $input, self::tag_of( $member ) );
			$agent_url = self::source_of( $input, $agents );
			if ( ! $this->allow_published_keys && in_array( $key_id, self::PUBLISHED_KEYS, true ) ) {
				throw new Unproven( 'invalid', 'published_key' );
			}
			$key = ( $this->find_key )( $agent_url, $key_id );
			if ( is_string( $key ) ) {
				throw new Unproven( 'unverified', $key );
			}
			if ( null !== $alg && $alg !== $key->algorithm ) {
				throw new Unproven( 'invalid', 'algorithm_mismatch' );
			}
			if ( ! $key->verify( $base, $input->signature ) ) {
				throw new Unproven( 'invalid', 'verification_failed' );
			}
			return self::verdict( 'verified', null, $key_id, $agent_url );
		} catch ( Unproven $unproven ) {
			return self::verdict( $unproven->outcome, $unproven->getMessage(), $key_id, $agent_url );
		} catch ( \SodiumException ) {
			return self::verdict( 'unverified', 'not_checked', $key_id, $agent_url );
		}
	}

	/**
	 * What is reported of a signature.
	 *
	 * @param string      $outcome   `verified`, `invalid` or `unverified`.
	 * @param string|null $reason    In a word.
	 * @param string|null $key_id    Thumbprint of the key.
	 * @param string|null $agent_url Where the keys are.
	 * @return array{outcome: string, reason: string|null, key_id: string|null, agent_url: string|null}
	 */
	private static function verdict( string $outcome, ?string $reason, ?string $key_id = null, ?string $agent_url = null ): array {
		return array(
			'outcome'   => $outcome,
			'reason'    => $reason,
			'key_id'    => $key_id,
			'agent_url' => $agent_url,
		);
	}

	/**
	 * The tag of a signature; empty if it has none.
	 *
	 * @param array<string, mixed> $member What the header announces.
	 */
	private static function tag_of( array $member ): string {
		[ $type, $tag ] = $member['parameters']['tag'] ?? array( '', '' );
		return 'string' === $type ? $tag : '';
	}

	/**
	 * Refuses what was made to be slow.
	 *
	 * @param Signed_Request       $request The request.
	 * @param array<string, mixed> $member  What the header announces.
	 * @throws Unproven If it covers too much, or a header is too long.
	 */
	private static function check_size( Signed_Request $request, array $member ): void {
		$covered = array_map( static fn( array $item ): mixed => $item['value'][1], $member['items'] ?? array() );
		if ( count( $covered ) > self::COMPONENTS_MAX ) {
			throw new Unproven( 'invalid', 'covers_too_much' );
		}
		$names = array_filter( $covered, static fn( mixed $name ): bool => is_string( $name ) && ! str_starts_with( $name, '@' ) );
		foreach ( array( 'signature', 'signature-input', 'signature-agent', ...$names ) as $name ) {
			$value = $request->header( strtolower( $name ) );
			if ( strlen( $value ) > self::HEADER_CHARS_MAX || 1 === preg_match( self::BLANKS, $value ) ) {
				throw new Unproven( 'invalid', 'malformed' );
			}
		}
	}

	/**
	 * Checks when the signature was made and until when it is valid.
	 *
	 * @param array<string, mixed> $member What the header announces.
	 * @throws Unproven If a time is missing or wrong.
	 */
	private function check_times( array $member ): void {
		[ $created_type, $created ] = $member['parameters']['created'] ?? array( '', 0 );
		[ $expires_type, $expires ] = $member['parameters']['expires'] ?? array( '', 0 );
		if ( 'integer' !== $created_type || 'integer' !== $expires_type ) {
			throw new Unproven( 'invalid', 'no_times' );
		}
		if ( $created > $this->now + self::CLOCK_SKEW_S ) {
			throw new Unproven( 'invalid', 'in_the_future' );
		}
		if ( $expires < $this->now ) {
			throw new Unproven( 'invalid', 'expired' );
		}
		$life = $this->life_max_s ?? self::TAGS[ self::tag_of( $member ) ];
		if ( $expires <= $created || $expires - $created > $life ) {
			throw new Unproven( 'invalid', 'lives_too_long' );
		}
	}

	/**
	 * Checks that the signature is for this host, and, where the tag needs it, this path.
	 *
	 * @param Signature_Input $input The signature.
	 * @param string          $tag   Its tag.
	 * @throws Unproven If it is not.
	 */
	private static function check_coverage( Signature_Input $input, string $tag ): void {
		$whole = $input->covers( '@target-uri' );
		$host  = $whole || $input->covers( '@authority' );
		$path  = $whole || $input->covers( '@path' );
		if ( ! $host || ( ! $path && 'web-bot-auth' !== $tag ) ) {
			throw new Unproven( 'invalid', 'covers_too_little' );
		}
	}

	/**
	 * Where the keys are, by the member of `Signature-Agent` that the signature covers.
	 *
	 * @param Signature_Input        $input  The signature.
	 * @param Signature_Agent[]|null $agents Null if the header is absent.
	 * @throws Unproven If it covers none, or the address is not valid.
	 */
	private static function source_of( Signature_Input $input, ?array $agents ): ?string {
		if ( null === $agents ) {
			return null;
		}
		foreach ( $agents as $agent ) {
			if ( $input->covers( 'signature-agent', $agent->label ) ) {
				return $agent->key_source() ?? throw new Unproven( 'invalid', 'bad_signature_agent' );
			}
		}
		throw new Unproven( 'invalid', 'signature_agent_not_covered' );
	}
}
