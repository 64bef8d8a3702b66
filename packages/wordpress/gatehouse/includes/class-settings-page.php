<?php
/**
 * The page Settings → Gatehouse.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * Shows the connection, and the forms that change it.
 */
final class Settings_Page {
	public const SLUG       = 'gatehouse';
	public const CAPABILITY = 'manage_options';

	/**
	 * Adds the page to the menu.
	 */
	public static function add(): void {
		add_options_page( 'Gatehouse', 'Gatehouse', self::CAPABILITY, self::SLUG, array( self::class, 'show' ) );
	}

	/**
	 * Adds a link to the list of plugins.
	 *
	 * @param array<string|int, string> $links Links of the plugin.
	 * @return array<string|int, string>
	 */
	public static function add_link( array $links ): array {
		$link = '<a href="' . esc_url( self::address() ) . '">' . esc_html__( 'Settings', 'gatehouse' ) . '</a>';
		return array_merge( array( $link ), $links );
	}

	/**
	 * Address of the page.
	 */
	public static function address(): string {
		return admin_url( 'options-general.php?page=' . self::SLUG );
	}

	/**
	 * Shows the page.
	 */
	public static function show(): void {
		if ( ! current_user_can( self::CAPABILITY ) ) {
			return;
		}
		$settings = Settings::current();
		echo '<div class="wrap"><h1>Gatehouse</h1>';
		if ( null === $settings ) {
			echo '<p>' . esc_html__( 'Connect this site with your Gatehouse, so that AI agents find your documents on your own domain and you see who visits. Nothing is loaded or sent before you connect.', 'gatehouse' ) . '</p>';
		} else {
			self::show_health( $settings );
		}
		self::show_form( $settings );
		if ( null !== $settings ) {
			self::show_disconnect();
		}
		echo '</div>';
	}

	/**
	 * Shows what works and what does not.
	 *
	 * @param Settings $settings The connection.
	 */
	private static function show_health( Settings $settings ): void {
		$notes = Status::all();
		echo '<h2>' . esc_html__( 'Health', 'gatehouse' ) . '</h2>';
		$problems = Health::problems( $settings );
		if ( array() === $problems ) {
			echo '<p>' . esc_html__( 'No problems found.', 'gatehouse' ) . '</p>';
		}
		foreach ( $problems as $problem ) {
			echo '<div class="notice notice-warning inline"><p>' . esc_html( $problem ) . '</p></div>';
		}
		echo '<p>' . esc_html__( 'Last background run:', 'gatehouse' ) . ' ' . esc_html( Health::time_text( (int) ( $notes['ran_at'] ?? 0 ) ) ) . '<br>';
		echo esc_html__( 'Last report of visits:', 'gatehouse' ) . ' ' . esc_html( Health::time_text( (int) ( $notes['reported_at'] ?? 0 ) ) ) . '</p>';
		echo '<p><a href="' . esc_url( home_url( '/agent' ) ) . '">' . esc_html__( 'See what agents see', 'gatehouse' ) . '</a></p>';
		self::show_documents( $settings );
		self::show_button( 'refresh', __( 'Refresh documents now', 'gatehouse' ), 'secondary' );
	}

	/**
	 * Shows the documents.
	 *
	 * @param Settings $settings The connection.
	 */
	private static function show_documents( Settings $settings ): void {
		echo '<table class="widefat striped"><thead><tr>';
		foreach ( array( __( 'Document', 'gatehouse' ), __( 'Format', 'gatehouse' ), __( 'Last refresh', 'gatehouse' ), __( 'Status', 'gatehouse' ) ) as $title ) {
			echo '<th scope="col">' . esc_html( $title ) . '</th>';
		}
		echo '</tr></thead><tbody>';
		foreach ( Health::documents( $settings ) as $row ) {
			echo '<tr><td><a href="' . esc_url( home_url( $row['path'] ) ) . '">' . esc_html( $row['path'] ) . '</a></td>';
			echo '<td>' . esc_html( $row['form'] ) . '</td>';
			echo '<td>' . esc_html( Health::time_text( $row['kept_at'] ) ) . '</td>';
			echo '<td>' . esc_html( $row['state'] ) . '</td></tr>';
		}
		echo '</tbody></table>';
	}

	/**
	 * Shows the form that connects. Secrets are not shown again.
	 *
	 * @param Settings|null $settings The connection; null if there is none.
	 */
	private static function show_form( ?Settings $settings ): void {
		$kept = __( 'Leave empty to keep the current one.', 'gatehouse' );
		echo '<h2>' . esc_html__( 'Connection', 'gatehouse' ) . '</h2>';
		self::open_form( 'connect' );
		echo '<table class="form-table" role="presentation">';
		self::show_field( 'gatehouse', __( 'Address of Gatehouse', 'gatehouse' ), $settings->gatehouse ?? '', 'https://gate.example.com' );
		self::show_field( 'site_key', __( 'Site key', 'gatehouse' ), $settings->site_key ?? '', __( 'Begins with us_. See Settings → Site in the console.', 'gatehouse' ) );
		$token = '' === ( $settings->edge_token ?? '' ) ? __( 'Begins with ghe_. Visits are reported with it.', 'gatehouse' ) : $kept;
		self::show_field( 'edge_token', __( 'Edge token', 'gatehouse' ), '', $token, 'password' );
		self::show_field( 'verification', __( 'Verification token', 'gatehouse' ), $settings->verification ?? '', __( 'Optional. Proves your domain by the file method.', 'gatehouse' ) );
		self::show_field( 'except', __( 'Paths you serve yourself', 'gatehouse' ), implode( ', ', $settings->except ?? array() ), '/llms.txt, /agent' );
		self::show_box( 'embed', __( 'Load the Gatehouse script on every page. It reports visits of people.', 'gatehouse' ), $settings->embed ?? true );
		self::show_box( 'agents_only', __( 'Report only visits of agents from this plugin, so that people are counted once.', 'gatehouse' ), $settings->agents_only ?? true );
		echo '</table>';
		submit_button( null === $settings ? __( 'Connect', 'gatehouse' ) : __( 'Save changes', 'gatehouse' ) );
		echo '</form>';
	}

	/**
	 * Shows a text field.
	 *
	 * @param string $name  Name of the value.
	 * @param string $label What it is.
	 * @param string $value Current value.
	 * @param string $hint  Said below it.
	 * @param string $type  Of the field.
	 */
	private static function show_field( string $name, string $label, string $value, string $hint, string $type = 'text' ): void {
		$id = 'gatehouse-' . $name;
		echo '<tr><th scope="row"><label for="' . esc_attr( $id ) . '">' . esc_html( $label ) . '</label></th><td>';
		echo '<input class="regular-text" autocomplete="off" type="' . esc_attr( $type ) . '" id="' . esc_attr( $id ) . '" name="' . esc_attr( $name ) . '" value="' . esc_attr( $value ) . '">';
		echo '<p class="description">' . esc_html( $hint ) . '</p></td></tr>';
	}

	/**
	 * Shows a checkbox.
	 *
	 * @param string $name  Name of the value.
	 * @param string $label What it is.
	 * @param bool   $on    Current value.
	 */
	private static function show_box( string $name, string $label, bool $on ): void {
		echo '<tr><th scope="row"></th><td><label><input type="checkbox" name="' . esc_attr( $name ) . '" value="1"' . checked( $on, true, false ) . '> ' . esc_html( $label ) . '</label></td></tr>';
	}

	/**
	 * Shows how to end the connection.
	 */
	private static function show_disconnect(): void {
		echo '<h2>' . esc_html__( 'Disconnect', 'gatehouse' ) . '</h2>';
		echo '<p>' . esc_html__( 'Documents and the script go from your site, and everything the plugin has stored is deleted.', 'gatehouse' ) . '</p>';
		self::show_button( 'disconnect', __( 'Disconnect', 'gatehouse' ), 'delete' );
	}

	/**
	 * Shows a form with one button.
	 *
	 * @param string $action Name of the action.
	 * @param string $label  What it does.
	 * @param string $style  Of the button.
	 */
	private static function show_button( string $action, string $label, string $style ): void {
		self::open_form( $action );
		submit_button( $label, $style );
		echo '</form>';
	}

	/**
	 * Opens a form with a nonce.
	 *
	 * @param string $action Name of the action.
	 */
	private static function open_form( string $action ): void {
		echo '<form method="post" action="' . esc_url( admin_url( 'admin-post.php' ) ) . '">';
		echo '<input type="hidden" name="action" value="' . esc_attr( 'gatehouse_' . $action ) . '">';
		wp_nonce_field( 'gatehouse_' . $action );
	}
}
