import type { Queries } from "../../../infra/db/database.js";
import { isPersonId } from "../people/person.js";

/** A token and every token that was made with it, or with one of those; revoked ones included. */
const DOWN = `WITH RECURSIVE down (token_id) AS (
  SELECT CAST(? AS TEXT)
  UNION
  SELECT made.token_id FROM admin_tokens made JOIN down ON made.created_by = down.token_id)`;

/**
 * Everything that a token or an unproven person descends from: who made the token, and who held the person's link.
 * UNION terminates where people vouch for each other in a circle.
 */
const UP = `WITH RECURSIVE made (id, maker) AS (
  SELECT token_id, created_by FROM admin_tokens
  UNION ALL
  SELECT person_id, vouched_by FROM people WHERE proven_at IS NULL),
up (id, maker) AS (
  SELECT id, maker FROM made WHERE id = ?
  UNION
  SELECT made.id, made.maker FROM made JOIN up ON made.id = up.maker)`;

/** A live token that descends from another. */
export interface Descendant {
  readonly tokenId: string;
  readonly role: string;
  readonly name: string;
  /** Site key hashes it is limited to; null for all. */
  readonly sites: readonly string[] | null;
}

interface Row {
  token_id: string;
  role: string;
  name: string;
  sites: string | null;
}

/** The live tokens that descend from one, edge tokens included, in order of creation. */
export async function liveDescendants(
  db: Queries,
  tokenId: string,
  now: number,
): Promise<Descendant[]> {
  const people = await db.all<Row>(
    `${DOWN} SELECT token_id, role, name, sites FROM admin_tokens
     WHERE token_id IN (SELECT token_id FROM down) AND token_id <> ? AND revoked_at IS NULL
       AND (expires_at IS NULL OR expires_at > ?)
     ORDER BY created_at, token_id`,
    tokenId,
    tokenId,
    now,
  );
  const edges = await db.all<Omit<Row, "sites" | "role"> & { site_key_hash: string }>(
    `${DOWN} SELECT token_id, name, site_key_hash FROM edge_tokens
     WHERE created_by IN (SELECT token_id FROM down) AND revoked_at IS NULL
     ORDER BY created_at, token_id`,
    tokenId,
  );
  return [
    ...people.map(({ token_id, role, name, sites }) => ({
      tokenId: token_id,
      role,
      name,
      sites: sites === null ? null : (JSON.parse(sites) as string[]),
    })),
    ...edges.map(({ token_id, name, site_key_hash }) => ({
      tokenId: token_id,
      role: "edge",
      name,
      sites: [site_key_hash],
    })),
  ];
}

/**
 * Who a token or person counts as where people are counted. A token counts as its maker. A person counts as
 * themselves once their address is proven, and until then as the principal who held their link. What the
 * operator's own token makes begins a line, because operators give access in this way. People who held each
 * other's links are one person.
 */
export async function rootOf(db: Queries, id: string): Promise<string> {
  const rows = await db.all<{ id: string; maker: string }>(`${UP} SELECT id, maker FROM up`, id);
  const makers = new Map(rows.map((row) => [row.id, row.maker]));
  const line = new Set<string>();
  let current = id;
  for (let maker = makers.get(id); maker !== undefined; maker = makers.get(current)) {
    if (line.has(current)) return firstOfCircle(line, current);
    line.add(current);
    if (!makers.has(maker)) return isPersonId(maker) ? maker : current;
    current = maker;
  }
  return current;
}

/** The same for everybody in a circle, and for everybody whose line leads to it. */
function firstOfCircle(line: ReadonlySet<string>, entry: string): string {
  const all = [...line];
  const [first = entry] = all.slice(all.indexOf(entry)).sort();
  return first;
}
