<?php
// Runs a command of the plugin as WP-CLI would: `wp-eval wp-cli.php NAME OPTIONS WORDS…`, with the options as JSON.

// phpcs:disable
final class WP_CLI {
	public static function line( string $text ): void {
		echo $text, "\n";
	}

	public static function success( string $text ): void {
		echo 'Success: ', $text, "\n";
	}

	public static function warning( string $text ): void {
		echo 'Warning: ', $text, "\n";
	}

	public static function error( string $text ): void {
		echo 'Error: ', $text, "\n";
	}
}

( new Gatehouse\Cli_Command() )->{ $argv[2] }( array_slice( $argv, 4 ), json_decode( $argv[3], true ) );
