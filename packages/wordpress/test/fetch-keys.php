<?php
// What the plugin asks for keys, with names that resolve as a test says: `wp-eval fetch-keys.php FILE` with a list of
// `{ source, answers }` as JSON. Each lookup of a name takes the next of its answers, and the last one stays.

// phpcs:disable
namespace Gatehouse;

$GLOBALS['answers'] = array();
$GLOBALS['seen']    = array();

// Functions of this namespace come before those of PHP.
function gethostbynamel( string $host ): array|false {
	$GLOBALS['seen']['looked_up'][] = $host;
	$answers = &$GLOBALS['answers'];
	return count( $answers ) > 1 ? array_shift( $answers ) : current( $answers );
}

function curl_setopt( $handle, int $option, mixed $value ): bool {
	if ( CURLOPT_RESOLVE === $option ) {
		$GLOBALS['seen']['pinned'][] = $value;
	}
	return \curl_setopt( $handle, $option, $value );
}

// The kit would cut these requests before they reach curl. Here curl asks a port where nobody listens.
remove_all_filters( 'pre_http_request' );
add_action(
	'http_api_curl',
	function ( $handle, $args, $url ) {
		$GLOBALS['seen']['asked'][] = $url;
		if ( str_contains( $url, '.example.' ) ) {
			\curl_setopt( $handle, CURLOPT_CONNECT_TO, array( '::127.0.0.1:1' ) );
		}
	},
	10,
	3
);

$results = array();
foreach ( json_decode( file_get_contents( $argv[2] ), true ) as $case ) {
	$GLOBALS['answers'] = $case['answers'];
	$GLOBALS['seen']    = array( 'looked_up' => array(), 'pinned' => array(), 'asked' => array() );
	$peak               = memory_get_peak_usage();
	$fetched            = Key_Fetcher::fetch( $case['source'] );
	$results[]          = $GLOBALS['seen'] + array(
		'fetched' => null !== $fetched,
		'grown'   => memory_get_peak_usage() - $peak,
	);
}
echo json_encode( $results );
