import type { Result } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { listEdgeTokens as selectEdgeTokens } from "../../domain/access/edge/store.js";
import { listTokens as selectTokens } from "../../domain/access/store.js";
import type { EdgeToken, Token } from "../../domain/access/token.js";
import { type Page, type PageRequest, readPage } from "../page.js";

const cursorOf = ({ createdAt, tokenId }: Pick<Token, "createdAt" | "tokenId">) => {
  return { createdAt, id: tokenId };
};

/** A page of the admin tokens of one site, or of all sites (null), in order of creation. */
export function listTokens(
  { db }: Context,
  siteKeyHash: string | null,
  request: PageRequest,
): Promise<Result<Page<Token>, "invalid_request">> {
  return readPage(request, (page) => selectTokens(db, siteKeyHash, page), cursorOf);
}

/** A page of the edge tokens of one site, or of all sites (null), in order of creation. */
export function listEdgeTokens(
  { db }: Context,
  siteKeyHash: string | null,
  request: PageRequest,
): Promise<Result<Page<EdgeToken>, "invalid_request">> {
  return readPage(request, (page) => selectEdgeTokens(db, siteKeyHash, page), cursorOf);
}
