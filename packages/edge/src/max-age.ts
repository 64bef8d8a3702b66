/** How long an answer says it may be kept, within bounds; the least where it says nothing. */
export function maxAgeMs(cacheControl: string, bounds: { min: number; max: number }): number {
  const seconds = Number(/(?:^|[\s,])max-age=(\d{1,9})/i.exec(cacheControl)?.[1] ?? 0);
  return Math.min(Math.max(seconds * 1000, bounds.min), bounds.max);
}
