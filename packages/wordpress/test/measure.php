// Writes what the plugin costs a page: the time to load it, and the time of each of its hooks.
$gatehouse_ms = array( 'load' => 0.0 );
add_filter(
	'option_active_plugins',
	function ( $plugins ) {
		$GLOBALS['gatehouse_began'] = hrtime( true );
		return $plugins;
	}
);
add_action(
	'plugin_loaded',
	function ( $file ) use ( &$gatehouse_ms ) {
		$now = hrtime( true );
		if ( str_ends_with( $file, '/gatehouse.php' ) ) {
			$gatehouse_ms['load'] = ( $now - $GLOBALS['gatehouse_began'] ) / 1e6;
		}
		$GLOBALS['gatehouse_began'] = $now;
	}
);
add_action(
	'wp_loaded',
	function () use ( &$gatehouse_ms ) {
		foreach ( array( 'parse_request', 'wp_enqueue_scripts', 'shutdown' ) as $hook ) {
			foreach ( $GLOBALS['wp_filter'][ $hook ]->callbacks as $priority => $callbacks ) {
				foreach ( $callbacks as $id => $callback ) {
					$function = $callback['function'];
					if ( ! is_array( $function ) || ! is_string( $function[0] ) || ! str_starts_with( $function[0], 'Gatehouse\\' ) ) {
						continue;
					}
					$GLOBALS['wp_filter'][ $hook ]->callbacks[ $priority ][ $id ]['function'] = function ( ...$arguments ) use ( $function, $hook, &$gatehouse_ms ) {
						$began = hrtime( true );
						$function( ...$arguments );
						$gatehouse_ms[ $hook ] = ( hrtime( true ) - $began ) / 1e6;
					};
				}
			}
		}
		add_action(
			'shutdown',
			function () use ( &$gatehouse_ms ) {
				if ( isset( $_SERVER['HTTP_X_MEASURE'] ) ) {
					file_put_contents( KIT_DIR . '/log/measured.log', json_encode( $gatehouse_ms ) . "\n", FILE_APPEND | LOCK_EX );
				}
			},
			PHP_INT_MAX
		);
	}
);
