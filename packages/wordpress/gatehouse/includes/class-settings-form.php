<?php
/**
 * Parts of the forms of the settings page.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

namespace Gatehouse;

defined( 'ABSPATH' ) || exit;

/**
 * Writes forms and their fields, with everything escaped.
 */
final class Settings_Form {
	/**
	 * Opens a form with a nonce.
	 *
	 * @param string $action Name of the action.
	 */
	public static function open( string $action ): void {
		echo '<form method="post" action="' . esc_url( admin_url( 'admin-post.php' ) ) . '">';
		echo '<input type="hidden" name="action" value="' . esc_attr( 'gatehouse_' . $action ) . '">';
		wp_nonce_field( 'gatehouse_' . $action );
	}

	/**
	 * Shows a form with one button.
	 *
	 * @param string $action Name of the action.
	 * @param string $label  What it does.
	 * @param string $style  Of the button.
	 */
	public static function button( string $action, string $label, string $style = 'secondary' ): void {
		self::open( $action );
		submit_button( $label, $style );
		echo '</form>';
	}

	/**
	 * Shows a form with one field and its button.
	 *
	 * @param string $action Name of the action.
	 * @param string $label  What the field is.
	 * @param string $hint   Said below it.
	 * @param string $button What the button does.
	 */
	public static function question( string $action, string $label, string $hint, string $button ): void {
		self::open( $action );
		echo '<table class="form-table" role="presentation">';
		self::field( $action, $label, '', $hint );
		echo '</table>';
		submit_button( $button );
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
	public static function field( string $name, string $label, string $value, string $hint, string $type = 'text' ): void {
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
	public static function box( string $name, string $label, bool $on ): void {
		echo '<tr><th scope="row"></th><td><label><input type="checkbox" name="' . esc_attr( $name ) . '" value="1"' . checked( $on, true, false ) . '> ' . esc_html( $label ) . '</label></td></tr>';
	}

	/**
	 * Shows a problem.
	 *
	 * @param string $text In a sentence.
	 */
	public static function problem( string $text ): void {
		echo '<div class="notice notice-warning inline"><p>' . esc_html( $text ) . '</p></div>';
	}

	/**
	 * Opens a table with titles. On a phone, long words and addresses break, so that the table is not wider than the page.
	 *
	 * @param string[] $titles Of the columns.
	 */
	public static function open_table( array $titles ): void {
		echo '<table class="widefat striped" style="word-break: break-word"><thead><tr>';
		foreach ( $titles as $title ) {
			echo '<th scope="col">' . esc_html( $title ) . '</th>';
		}
		echo '</tr></thead><tbody>';
	}
}
