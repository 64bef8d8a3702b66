<?php
/**
 * Notices visits.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * At the end of a request, puts the visit among those to be reported. It blocks nobody and asks nobody.
 */
final class Visit_Observer {
	private const PAGE_TYPE            = '~^content-type:\s*(?:text/html|application/xhtml\+xml|text/markdown)\s*(?:;|$)~i';
	private const USER_AGENT_CHARS_MAX = 512;
	private const PATH_CHARS_MAX       = 1024;
	private const KEY_ID_CHARS_MAX     = 128;

	/**
	 * Looks at the request that ends.
	 */
	public static function observe(): void {
		$settings = Settings::current();
		if ( null === $settings || ! $settings->reports || 'cli' === PHP_SAPI || ! self::is_visit() ) {
			return;
		}
		$signed     = Request::has_header( 'signature-input' );
		$user_agent = Request::header( 'user-agent' );
		if ( ! $signed && $settings->agents_only && Caller::is_person( $user_agent ) ) {
			return;
		}
		try {
			Visit_Queue::add( self::visit( $user_agent, $signed ? self::signature() : null ) );
		} catch ( \Throwable $error ) {
			// The page is finished; nothing about a visit may harm it.
			Status::note( 'report_problem', $error->getMessage() );
		}
	}

	/**
	 * Whether somebody looked at something: a page, one of the documents, or anything with a signature.
	 * Pictures, redirects, pages fetched in case they are wanted, and the administration are no visits.
	 */
	private static function is_visit(): bool {
		if ( Request::has_header( 'signature-input' ) ) {
			return true;
		}
		if ( is_admin() || wp_doing_cron() || 'GET' !== Request::method() || str_contains( Request::header( 'sec-purpose' ), 'prefetch' ) ) {
			return false;
		}
		if ( Document_Server::has_answered() ) {
			return true;
		}
		$status = (int) http_response_code();
		if ( 304 === $status ) {
			return str_contains( Request::header( 'accept' ), 'text/html' );
		}
		return $status >= 200 && $status < 300 && array() !== preg_grep( self::PAGE_TYPE, headers_list() );
	}

	/**
	 * What the signatures of the request are worth, with the keys that are known now.
	 *
	 * @return array<string, string|null>|null
	 */
	private static function signature(): ?array {
		$check   = new Web_Bot_Auth( static fn( ?string $source, string $thumbprint ): Agent_Key|string => Key_Directories::find( $source, $thumbprint ), time() );
		$verdict = $check->verify( Signed_Request::current() );
		if ( null !== $verdict && null !== $verdict['key_id'] ) {
			$verdict['key_id'] = substr( (string) preg_replace( '/[^ -~]/', '?', $verdict['key_id'] ), 0, self::KEY_ID_CHARS_MAX );
		}
		return $verdict;
	}

	/**
	 * A visit as Gatehouse reads it. The query is not part of it.
	 *
	 * @param string                          $user_agent The header.
	 * @param array<string, string|null>|null $signature  What the signature is worth; null if there is none.
	 * @return array<string, mixed>
	 */
	private static function visit( string $user_agent, ?array $signature ): array {
		[ $before ] = explode( '?', Request::url(), 2 );
		$page       = (string) preg_replace_callback(
			'~[^\x21-\x7e]|[#"<>\\\\^`{|}]~',
			static fn( array $found ): string => rawurlencode( $found[0] ),
			$before
		);
		preg_match( '~^https?://[^/]*~', $page, $origin );
		$path  = substr( $page, strlen( $origin[0] ), self::PATH_CHARS_MAX );
		$visit = array(
			'observed_at' => gmdate( 'Y-m-d\TH:i:s\Z' ),
			'user_agent'  => mb_substr( mb_scrub( $user_agent, 'UTF-8' ), 0, self::USER_AGENT_CHARS_MAX, 'UTF-8' ),
			'page_url'    => $origin[0] . $path,
		);
		return null === $signature ? $visit : array_merge( $visit, array( 'signature' => $signature ) );
	}
}
