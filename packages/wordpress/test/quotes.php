<?php
// Quotes under many settings of a shop: `wp-eval quotes.php INPUT`, where INPUT is JSON with a list of settings and questions.
// Beside each quote it computes what WooCommerce's own cart charges.

// phpcs:disable
use Gatehouse\WooCommerce\Fields;
use Gatehouse\WooCommerce\Quote;

wp_set_current_user( 0 );

function gatehouse_own_total( array $question ): string {
	wc_load_cart();
	WC()->cart->empty_cart();
	$place = $question['destination'];
	foreach ( array( 'billing', 'shipping' ) as $kind ) {
		WC()->customer->set_props( array( "{$kind}_country" => $place['country'], "{$kind}_state" => '', "{$kind}_postcode" => $place['postal_code'], "{$kind}_city" => $place['city'] ) );
	}
	WC()->customer->set_calculated_shipping( true );
	foreach ( $question['lines'] as $line ) {
		WC()->cart->add_to_cart( (int) $line['product_id'], $line['quantity'] );
	}
	foreach ( $question['coupons'] as $code ) {
		WC()->cart->apply_coupon( $code );
	}
	WC()->cart->calculate_totals();
	WC()->session->set( 'chosen_shipping_methods', array( $question['option_id'] ) );
	WC()->cart->calculate_totals();
	return (string) WC()->cart->get_total( 'edit' );
}

$answers = array();
$before  = array();
foreach ( json_decode( file_get_contents( $argv[2] ), true ) as $case ) {
	foreach ( $case['options'] as $name => $value ) {
		$before[ $name ] ??= get_option( $name );
		update_option( $name, $value );
	}
	$answers[] = array(
		'quote' => Quote::answer( Fields::read( json_encode( $case['question'] ) ) ),
		'own'   => gatehouse_own_total( $case['question'] ),
	);
	foreach ( $before as $name => $value ) {
		update_option( $name, $value );
	}
}
WC()->cart->empty_cart();
echo json_encode( $answers );
