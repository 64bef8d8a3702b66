// What a page costs, with and without the plugin: a request with the header `X-Measure` says which, and its figures are
// a line of measured.log. Both kinds are measured in the same way, so what measuring costs is in both.
if ( isset( $_SERVER['HTTP_X_MEASURE'] ) ) {
	$gatehouse_measured = array(
		'with'    => 'with' === $_SERVER['HTTP_X_MEASURE'],
		'queries' => 0,
		'own'     => array(),
		'http'    => array(),
	);
	$gatehouse_cpu_ms   = function (): float {
		$used = getrusage();
		return ( $used['ru_utime.tv_sec'] + $used['ru_stime.tv_sec'] ) * 1e3 + ( $used['ru_utime.tv_usec'] + $used['ru_stime.tv_usec'] ) / 1e3;
	};
	$gatehouse_began    = $gatehouse_cpu_ms();
	add_filter(
		'option_active_plugins',
		fn( $plugins ) => $gatehouse_measured['with'] ? $plugins : array_values( array_diff( $plugins, array( 'gatehouse/gatehouse.php' ) ) )
	);
	// An option that is not loaded with all others needs a query too.
	add_filter(
		'query',
		function ( $query ) use ( &$gatehouse_measured ) {
			++$gatehouse_measured['queries'];
			foreach ( debug_backtrace( DEBUG_BACKTRACE_IGNORE_ARGS ) as $frame ) {
				// WooCommerce reads its own features when it is first asked about one, on every page.
				if ( 'declare_compatibility' === $frame['function'] ) {
					break;
				}
				if ( str_starts_with( $frame['class'] ?? '', 'Gatehouse\\' ) ) {
					$gatehouse_measured['own'][] = $query;
					break;
				}
			}
			return $query;
		}
	);
	add_filter(
		'pre_http_request',
		function ( $answer, $args, $url ) use ( &$gatehouse_measured ) {
			$gatehouse_measured['http'][] = $url;
			return $answer;
		},
		1,
		3
	);
	add_action(
		'shutdown',
		function () use ( &$gatehouse_measured, $gatehouse_cpu_ms, $gatehouse_began ) {
			$gatehouse_measured['ms'] = $gatehouse_cpu_ms() - $gatehouse_began;
			file_put_contents( KIT_DIR . '/log/measured.log', json_encode( $gatehouse_measured ) . "\n", FILE_APPEND | LOCK_EX );
		},
		PHP_INT_MAX
	);
}
