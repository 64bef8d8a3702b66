/**
 * The text of a saved checkpoint, proof or note, as it was signed. Editors and version control on Windows write
 * other line ends, and a mark at the beginning, which the decoder drops. The signature is over neither.
 */
export function noteText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replaceAll("\r\n", "\n");
}
