/** Path from the repository's root → text. */
export function generatePages(): Promise<Record<string, string>>;
