<?php
// Copies of a product, sooner than WooCommerce makes products: `wp-eval many-products.php INPUT`, where INPUT is JSON with their number.

// phpcs:disable
const GATEHOUSE_ROWS = 200;

global $wpdb;
$count = (int) json_decode( file_get_contents( $argv[2] ) );
$first = 1 + (int) $wpdb->get_var( "SELECT MAX(ID) FROM $wpdb->posts" );
$model = get_post( wc_get_product_id_by_sku( 'SHOP-010' ), ARRAY_A );
$metas = $wpdb->get_results( "SELECT meta_key, meta_value FROM $wpdb->postmeta WHERE post_id = {$model['ID']}", ARRAY_A );
$stock = $wpdb->get_row( "SELECT * FROM {$wpdb->prefix}wc_product_meta_lookup WHERE product_id = {$model['ID']}", ARRAY_A );
$terms = $wpdb->get_col( "SELECT term_taxonomy_id FROM $wpdb->term_relationships WHERE object_id = {$model['ID']}" );
$known = array_flip( $wpdb->get_col( "DESCRIBE $wpdb->posts" ) );

function gatehouse_insert( string $table, array $rows ): void {
	global $wpdb;
	foreach ( array_chunk( $rows, GATEHOUSE_ROWS ) as $part ) {
		$values = array_map( fn( $row ) => '(' . implode( ', ', array_map( fn( $value ) => null === $value ? 'NULL' : "'" . esc_sql( $value ) . "'", $row ) ) . ')', $part );
		$wpdb->query( "INSERT INTO $table (`" . implode( '`, `', array_keys( $part[0] ) ) . '`) VALUES ' . implode( ', ', $values ) );
	}
}

for ( $made = 0; $made < $count; $made += GATEHOUSE_ROWS ) {
	$posts = $more = $lookup = $kinds = array();
	for ( $n = $made; $n < min( $count, $made + GATEHOUSE_ROWS ); $n++ ) {
		$id      = $first + $n;
		$posts[] = array_merge( array_intersect_key( $model, $known ), array( 'ID' => $id, 'post_title' => "Tin $n", 'post_name' => "tin-$n" ) );
		foreach ( $metas as $meta ) {
			$more[] = array( 'post_id' => $id, 'meta_key' => $meta['meta_key'], 'meta_value' => '_sku' === $meta['meta_key'] ? "TIN-$n" : $meta['meta_value'] );
		}
		foreach ( $terms as $term ) {
			$kinds[] = array( 'object_id' => $id, 'term_taxonomy_id' => $term, 'term_order' => 0 );
		}
		$lookup[] = array_merge( $stock, array( 'product_id' => $id, 'sku' => "TIN-$n" ) );
	}
	gatehouse_insert( $wpdb->posts, $posts );
	gatehouse_insert( $wpdb->postmeta, $more );
	gatehouse_insert( $wpdb->term_relationships, $kinds );
	gatehouse_insert( "{$wpdb->prefix}wc_product_meta_lookup", $lookup );
}
echo json_encode( array( 'problem' => $wpdb->last_error, 'count' => count( wc_get_products( array( 'limit' => -1, 'return' => 'ids' ) ) ) ) );
