/** The script of the script tag. */
export function bundleEmbed(): Promise<string>;
