<?php
/**
 * What connects this site with Gatehouse.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * The connection's settings. There are none until somebody connects.
 */
final class Settings {
	public const OPTION = 'gatehouse_settings';

	private const SITE_KEY           = '/^(?:us_[A-Za-z0-9_-]{43}|sk_[A-Za-z0-9_-]{8,120})$/D';
	private const EDGE_TOKEN         = '/^ghe_[\w-]{20,100}$/D';
	private const VERIFICATION_TOKEN = '/^[A-Za-z0-9_-]{16,128}$/D';
	private const CONNECTION_ID      = '/^con_[A-Za-z0-9_-]{1,100}$/D';
	private const LOOPBACK           = '/^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/D';
	private const HOST               = '/^(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])$/D';
	private const ADDRESS_PATH       = '~^[\w./-]*$~D';
	private const EXCEPT_MAX         = 20;

	/**
	 * Use read() or current().
	 *
	 * @param string   $gatehouse         Address of Gatehouse, without a slash at its end.
	 * @param string   $site_key          Public key of the site.
	 * @param bool     $reports           Whether visits are reported: there is a secret for it.
	 * @param string   $verification      Token that proves the domain; empty if it is proven in another way.
	 * @param string   $connection_id     Id of the shop's connection; empty if the shop is not connected.
	 * @param string[] $except            Paths that the site serves itself.
	 * @param bool     $embed             Whether pages load the script.
	 * @param bool     $agents_only       Whether visits of people are left out.
	 * @param bool     $capture           Whether a payment is captured when its order is completed.
	 * @param Secrets  $secrets           What only messages to and from Gatehouse need.
	 */
	private function __construct(
		public readonly string $gatehouse,
		public readonly string $site_key,
		public readonly bool $reports,
		public readonly string $verification,
		public readonly string $connection_id,
		public readonly array $except,
		public readonly bool $embed,
		public readonly bool $agents_only,
		public readonly bool $capture,
		private readonly Secrets $secrets,
	) {}

	/**
	 * The settings in force; null while the site is not connected.
	 */
	public static function current(): ?self {
		$kept = get_option( self::OPTION );
		if ( ! is_array( $kept ) ) {
			return null;
		}
		return new self(
			(string) ( $kept['gatehouse'] ?? '' ),
			(string) ( $kept['site_key'] ?? '' ),
			(bool) ( $kept['reports'] ?? false ),
			(string) ( $kept['verification'] ?? '' ),
			(string) ( $kept['connection_id'] ?? '' ),
			(array) ( $kept['except'] ?? array() ),
			(bool) ( $kept['embed'] ?? true ),
			(bool) ( $kept['agents_only'] ?? true ),
			(bool) ( $kept['capture'] ?? true ),
			Secrets::kept(),
		);
	}

	/**
	 * Checks what somebody entered.
	 *
	 * @param array<string, mixed> $input Entered values by the names of the properties.
	 * @return self|\WP_Error The error says what to correct.
	 */
	public static function read( array $input ): self|\WP_Error {
		$text = static fn( string $name ): string => is_string( $input[ $name ] ?? null ) ? trim( $input[ $name ] ) : '';
		$base = self::read_address( $text( 'gatehouse' ) );
		if ( null === $base ) {
			return new \WP_Error( 'gatehouse_address', __( 'Enter the address of Gatehouse. It must begin with https://.', 'gatehouse' ) );
		}
		if ( 1 !== preg_match( self::SITE_KEY, $text( 'site_key' ) ) ) {
			return new \WP_Error( 'gatehouse_site_key', __( 'Enter the site key. It begins with us_ and is shown in the console, in Settings → Site.', 'gatehouse' ) );
		}
		if ( '' !== $text( 'edge_token' ) && 1 !== preg_match( self::EDGE_TOKEN, $text( 'edge_token' ) ) ) {
			return new \WP_Error( 'gatehouse_edge_token', __( 'The edge token is not valid. It begins with ghe_. Create one with “gatehouse token create --role edge”.', 'gatehouse' ) );
		}
		if ( '' !== $text( 'verification' ) && 1 !== preg_match( self::VERIFICATION_TOKEN, $text( 'verification' ) ) ) {
			return new \WP_Error( 'gatehouse_verification', __( 'The verification token is not valid. Enter only the token, without a file name or a tag.', 'gatehouse' ) );
		}
		$has_shop = '' !== $text( 'connection_id' ) || '' !== $text( 'connection_secret' );
		if ( $has_shop && ( 1 !== preg_match( self::CONNECTION_ID, $text( 'connection_id' ) ) || ! Message_Signature::is_secret( $text( 'connection_secret' ) ) ) ) {
			return new \WP_Error( 'gatehouse_connection', __( 'The connection of the shop is not valid. Connect again.', 'gatehouse' ) );
		}
		$except = self::read_paths( $text( 'except' ) );
		if ( null === $except ) {
			return new \WP_Error( 'gatehouse_except', __( 'Enter paths that begin with a slash, separated by commas.', 'gatehouse' ) );
		}
		return new self(
			$base,
			$text( 'site_key' ),
			'' !== $text( 'edge_token' ),
			$text( 'verification' ),
			$text( 'connection_id' ),
			$except,
			(bool) ( $input['embed'] ?? true ),
			(bool) ( $input['agents_only'] ?? true ),
			(bool) ( $input['capture'] ?? true ),
			Secrets::entered( $text( 'edge_token' ), $text( 'connection_secret' ) ),
		);
	}

	/**
	 * Whether the shop is connected, so that Gatehouse can ask for quotes and send orders.
	 */
	public function has_shop(): bool {
		return '' !== $this->connection_id;
	}

	/**
	 * Secret for reporting visits; empty if none are reported.
	 */
	public function edge_token(): string {
		return $this->secrets->edge_token();
	}

	/**
	 * Secret that signs messages of the connection; empty without one.
	 */
	public function connection_secret(): string {
		return $this->secrets->connection_secret();
	}

	/**
	 * These settings as somebody could enter them.
	 *
	 * @return array<string, mixed>
	 */
	public function as_input(): array {
		$entered = array(
			'except'            => implode( ',', $this->except ),
			'edge_token'        => $this->edge_token(),
			'connection_secret' => $this->connection_secret(),
		);
		return array_merge( $this->values(), $entered );
	}

	/**
	 * Whether these settings are for the same site at the same Gatehouse.
	 *
	 * @param self $other Other settings.
	 */
	public function is_same_site( self $other ): bool {
		return array( $this->gatehouse, $this->site_key ) === array( $other->gatehouse, $other->site_key );
	}

	/**
	 * Saves the settings. They are small and every page needs them, so they load with all options, without the secrets.
	 */
	public function save(): void {
		$this->secrets->save();
		update_option( self::OPTION, $this->values(), true );
	}

	/**
	 * The settings without the secrets.
	 *
	 * @return array<string, mixed>
	 */
	private function values(): array {
		return array_diff_key( get_object_vars( $this ), array( 'secrets' => true ) );
	}

	/**
	 * The hash that names the site in addresses.
	 */
	public function site_key_hash(): string {
		return Base64url::encode( hash( 'sha256', $this->site_key, true ) );
	}

	/**
	 * An address of Gatehouse without a slash at its end; null if the token must not be sent there.
	 *
	 * @param string $address What somebody entered.
	 */
	public static function read_address( string $address ): ?string {
		$parts  = wp_parse_url( $address );
		$scheme = strtolower( (string) ( $parts['scheme'] ?? '' ) );
		$host   = strtolower( (string) ( $parts['host'] ?? '' ) );
		$plain  = 'http' === $scheme && 1 === preg_match( self::LOOPBACK, $host );
		$path   = (string) ( $parts['path'] ?? '' );
		$valid  = 1 === preg_match( self::HOST, $host ) && 1 === preg_match( self::ADDRESS_PATH, $path );
		if ( ! $valid || isset( $parts['user'] ) || ( 'https' !== $scheme && ! $plain ) ) {
			return null;
		}
		$port = isset( $parts['port'] ) ? ':' . $parts['port'] : '';
		return $scheme . '://' . $host . $port . rtrim( $path, '/' );
	}

	/**
	 * Paths separated by commas or spaces; null if one is not a path.
	 *
	 * @param string $text What somebody entered.
	 * @return string[]|null
	 */
	private static function read_paths( string $text ): ?array {
		$paths = preg_split( '/[\s,]+/', $text, -1, PREG_SPLIT_NO_EMPTY );
		$wrong = array_filter( $paths, static fn( string $path ): bool => ! str_starts_with( $path, '/' ) );
		return array() === $wrong && count( $paths ) <= self::EXCEPT_MAX ? $paths : null;
	}
}
