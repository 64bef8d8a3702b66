/** Writes the `gatehouse` package into a folder, which is emptied first. */
export function stage(folder: string, address?: string): Promise<unknown>;
