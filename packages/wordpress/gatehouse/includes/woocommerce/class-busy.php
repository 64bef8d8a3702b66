<?php
/**
 * Something that another request is changing now.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

defined( 'ABSPATH' ) || exit;

/**
 * Thrown where a lock did not become free, and answered with 503: Gatehouse sends the message again.
 */
final class Busy extends \RuntimeException {}
