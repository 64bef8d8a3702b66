/** Items asked for at a time: as many as the service gives. */
const LISTED_AT_ONCE = 200;

/** A query of what was said, and no more. */
export function queryOf(filters: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filters))
    if (value !== undefined) query.set(name, value);
  return `?${query}`;
}

/** The query of a list. */
export function listQuery(
  filters: Readonly<Record<string, string | undefined>>,
  limit = LISTED_AT_ONCE,
): string {
  return queryOf({ limit: String(limit), ...filters });
}
