import type { Queries } from "../../../infra/db/database.js";
import { isPersonId } from "../people/person.js";
import { personById } from "../people/store.js";
import { OPERATOR_ID } from "../principal.js";

/** A token and every token that was made with it, or with one of those; revoked ones included. */
const DOWN = `WITH RECURSIVE down (token_id) AS (
  SELECT CAST(? AS TEXT)
  UNION
  SELECT made.token_id FROM admin_tokens made JOIN down ON made.created_by = down.token_id)`;

/** A token and every token it descends from. UNION terminates even if damaged rows form a circle. */
const UP = `WITH RECURSIVE up (token_id, created_by) AS (
  SELECT token_id, created_by FROM admin_tokens WHERE token_id = ?
  UNION
  SELECT maker.token_id, maker.created_by FROM admin_tokens maker
    JOIN up ON maker.token_id = up.created_by)`;

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
 * Who a token counts as where people are counted: the person who made the first of its line, or else that
 * first token. Each token that the operator's own token made begins a new line, because operators give
 * access in this way.
 */
export async function rootOf(db: Queries, id: string): Promise<string> {
  if (isPersonId(id)) return personCountedAs(db, id);
  const row = await db.get<{ token_id: string; created_by: string }>(
    `${UP} SELECT token_id, created_by FROM up
     WHERE created_by NOT IN (SELECT token_id FROM admin_tokens) ORDER BY token_id LIMIT 1`,
    id,
  );
  if (row === undefined) return id;
  return isPersonId(row.created_by) ? personCountedAs(db, row.created_by) : row.token_id;
}

/** People who vouched for each other in a row; no line is longer. */
const VOUCHED_MAX = 20;

/**
 * Who a person counts as: themselves once their address is proven, and until then as the principal who held their link. A
 * link from the operator begins a line, because operators give access in this way.
 */
async function personCountedAs(db: Queries, id: string): Promise<string> {
  let counted = id;
  for (let step = 0; step < VOUCHED_MAX; step++) {
    const person = await personById(db, counted);
    const isOwn = person === undefined || person.provenAt !== null;
    if (isOwn || person.vouchedBy === OPERATOR_ID) return counted;
    if (!isPersonId(person.vouchedBy)) return rootOf(db, person.vouchedBy);
    counted = person.vouchedBy;
  }
  return counted;
}
