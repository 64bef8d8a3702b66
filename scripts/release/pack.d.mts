export const LIBRARIES: readonly string[];
/** Packs the libraries into a folder, and returns the names of the files. */
export function packLibraries(folder: string, address?: string): string[];
