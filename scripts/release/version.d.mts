/** Files of the current folder with the version in them, by path, each with the patterns that find it. */
export function filesWithVersion(): Readonly<Record<string, readonly RegExp[]>>;
