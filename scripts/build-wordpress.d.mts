/** The lists that the WordPress plugin shares with the protocol package, as a PHP file. */
export function pluginTables(): string;
/** The WordPress plugin as a zip. */
export function pluginZip(): Buffer;
/** Puts the zip into a folder, and returns the name of the file. */
export function packPlugin(folder: string): string;
