/** The texts of the plugin in a folder, for translators. */
export function pluginPot(plugin: string, version: string): string;
