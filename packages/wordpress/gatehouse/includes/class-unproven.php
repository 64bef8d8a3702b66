<?php
/**
 * Why a signature is not verified.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * Thrown and caught while a signature is checked. Its message is the reason in a word.
 */
final class Unproven extends \RuntimeException {
	/**
	 * Names outcome and reason.
	 *
	 * @param string $outcome `invalid` or `unverified`.
	 * @param string $reason  In a word, such as `expired`.
	 */
	public function __construct( public readonly string $outcome, string $reason ) {
		parent::__construct( $reason );
	}
}
