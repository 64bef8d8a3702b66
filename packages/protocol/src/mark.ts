/** The mark of the product, in a square of 32 by 32. */
export const MARK_PATH = "M4 28V12L16 4l12 8v16h-8v-9a4 4 0 0 0-8 0v9z";

/**
 * The mark for a page of HTML, in the color of the text around it. Words beside it name the product.
 *
 * @example
 * markSvg(20).startsWith('<svg width="20" height="20" viewBox="0 0 32 32" aria-hidden="true">'); //=> true
 */
export function markSvg(size: number): string {
  return `<svg width="${size}" height="${size}" viewBox="0 0 32 32" aria-hidden="true"><path fill="currentColor" d="${MARK_PATH}"/></svg>`;
}
