import type { ReasonCode } from "@gatehouse/protocol";
import { createRoute, type RouteConfig, z } from "@hono/zod-openapi";
import { body, errors, json } from "../server/schemas.js";
import { NextCursor, SiteParams } from "./schemas.js";

export const SITE_PATH = "/v1/admin/sites/{site_key_hash}";

type Method = "get" | "post" | "put" | "patch" | "delete";

interface DescribedAnswer {
  readonly description: string;
  readonly content: Readonly<Record<string, { readonly schema: z.ZodType }>>;
}

/** What a route accepts and answers, for validation and for the OpenAPI document. */
interface Description {
  readonly tags: string[];
  readonly summary: string;
  readonly description?: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** For a route with a body that every reader may call. */
  readonly changesNothing?: true;
  /** The answer with status 200. */
  readonly answer?: DescribedAnswer;
  /** The answer with status 201. */
  readonly created?: DescribedAnswer;
  /** What status 204 means. */
  readonly noContent?: string;
  /** Errors in addition to those that `usualErrors` adds. */
  readonly errors?: readonly ReasonCode[];
}

type RequestOf<D extends Description> = (D["params"] extends z.ZodObject
  ? { params: D["params"] }
  : object) &
  (D["query"] extends z.ZodObject ? { query: D["query"] } : object) &
  (D["body"] extends z.ZodType ? { body: ReturnType<typeof body<D["body"]>> } : object);

type ResponsesOf<D extends Description> = (D["answer"] extends DescribedAnswer
  ? { 200: D["answer"] }
  : object) &
  (D["created"] extends DescribedAnswer ? { 201: D["created"] } : object) &
  (D["noContent"] extends string ? { 204: { description: string } } : object);

type DescribedRoute<M extends Method, Path extends string, D extends Description> = {
  method: M;
  path: Path;
  request: RequestOf<D>;
  responses: ResponsesOf<D>;
};

/** Every change can be forbidden, and everything that a path names can be absent. */
function usualErrors(method: Method, described: Description): ReasonCode[] {
  const { params, query, body: sent, changesNothing } = described;
  return [
    ...(query === undefined && sent === undefined ? [] : ["invalid_request" as const]),
    ...(method === "get" || changesNothing ? [] : ["forbidden" as const]),
    ...(params === undefined ? [] : ["not_found" as const]),
  ];
}

/** Describes a route of the admin API. */
export function adminRoute<M extends Method, Path extends string, D extends Description>(
  method: M,
  path: Path,
  described: D,
) {
  const { tags, summary, description, params, query, body: sent } = described;
  const { answer, created, noContent, errors: more = [] } = described;
  const request = {
    ...(params === undefined ? {} : { params }),
    ...(query === undefined ? {} : { query }),
    ...(sent === undefined ? {} : { body: body(sent) }),
  };
  const responses = {
    ...(answer === undefined ? {} : { 200: answer }),
    ...(created === undefined ? {} : { 201: created }),
    ...(noContent === undefined ? {} : { 204: { description: noContent } }),
    ...errors(...usualErrors(method, described), ...more),
  };
  const route = createRoute({
    method,
    path,
    tags,
    summary,
    description,
    request,
    responses,
  } as RouteConfig);
  return route as unknown as DescribedRoute<M, Path, D>;
}

/** Describes a route below the path of one site. */
export function siteRoute<M extends Method, Path extends string, D extends Description>(
  method: M,
  path: Path,
  described: D,
) {
  type Params = D["params"] extends z.ZodObject ? D["params"] : typeof SiteParams;
  const atSite = { params: SiteParams, ...described } as D & { params: Params };
  return adminRoute(method, `${SITE_PATH}${path}` as `${typeof SITE_PATH}${Path}`, atSite);
}

/** The answer of a route that lists something page by page. */
export function pageOf<Item extends z.ZodType>(item: Item, description: string) {
  return json(z.object({ items: z.array(item), next_cursor: NextCursor }), description);
}

/** The path parameter with the id of something, for routes of one site. */
export function idParam(name: string) {
  return z
    .string()
    .max(80)
    .openapi({ param: { name, in: "path" } });
}
