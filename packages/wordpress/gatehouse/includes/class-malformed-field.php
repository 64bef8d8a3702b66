<?php
/**
 * A header that cannot be read.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * Thrown by the parser of structured fields, and caught by who reads the header.
 */
final class Malformed_Field extends \RuntimeException {}
