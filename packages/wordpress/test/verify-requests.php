<?php
// What the plugin makes of signed requests: `wp-eval verify-requests.php FILE` with a list of them as JSON.

// phpcs:disable
$verdicts = array();
foreach ( json_decode( file_get_contents( $argv[2] ), true ) as $case ) {
	$key      = Gatehouse\Agent_Key::read( $case['key'] );
	$fields   = array();
	foreach ( $case['fields'] as $field ) {
		$name            = strtolower( $field['name'] );
		$fields[ $name ] = isset( $fields[ $name ] ) ? $fields[ $name ] . ', ' . $field['value'] : $field['value'];
	}
	$find     = fn( ?string $source, string $id ) => null !== $key && $key->thumbprint === $id && in_array( $case['source'], array( '*', $source ), true ) ? $key : 'unknown_key';
	$check    = new Gatehouse\Web_Bot_Auth( $find, $case['now'], $case['published'], $case['life'] );
	$request  = new Gatehouse\Signed_Request( 'GET', $case['url'], fn( string $name ) => $fields[ $name ] ?? '' );
	$verdicts[] = $check->verify( $request ) ?? array( 'outcome' => 'unsigned', 'reason' => null, 'key_id' => null, 'agent_url' => null );
}
echo json_encode( $verdicts );
