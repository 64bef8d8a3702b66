/** Items asked for at a time: as many as the service gives. */
const LISTED_AT_ONCE = 200;

/** The query of a list: what was said of it, and no more. */
export function listQuery(
  said: Readonly<Record<string, string | undefined>>,
  limit = LISTED_AT_ONCE,
): string {
  const query = new URLSearchParams({ limit: String(limit) });
  for (const [name, value] of Object.entries(said)) if (value !== undefined) query.set(name, value);
  return `?${query}`;
}
