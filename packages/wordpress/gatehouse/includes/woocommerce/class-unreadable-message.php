<?php
/**
 * A message that cannot be read.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse\WooCommerce;

defined( 'ABSPATH' ) || exit;

/**
 * Thrown while a message is parsed, and answered with 400.
 */
final class Unreadable_Message extends \RuntimeException {}
