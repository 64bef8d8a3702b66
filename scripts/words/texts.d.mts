/** The texts that a PHP file hands to WordPress for translation. */
export function phpTexts(php: string): string[];
