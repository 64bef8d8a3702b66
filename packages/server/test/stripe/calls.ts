import type { IncomingMessage } from "node:http";
import { decodeForm, type Params } from "./form.ts";

/** A request that came, and what was answered. */
export interface SimulatedCall {
  readonly method: string;
  readonly path: string;
  /** Of the query or the body, nested as its brackets say; every value is text. */
  readonly params: Params;
  readonly key: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly apiVersion: string | undefined;
  /** Undefined where the answer was lost, or is still to come. */
  readonly status: number | undefined;
  readonly answer: unknown;
}

/** The same for whoever answers it. */
export type TakenCall = { -readonly [K in keyof SimulatedCall]: SimulatedCall[K] };

export async function callOf(request: IncomingMessage): Promise<TakenCall> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { pathname, search } = new URL(request.url ?? "/", "http://stripe.invalid");
  const method = request.method ?? "GET";
  const header = (name: string) => request.headers[name]?.toString();
  return {
    method,
    path: pathname,
    params: decodeForm(method === "GET" ? search.slice(1) : Buffer.concat(chunks).toString()),
    key: /^Bearer (.+)$/.exec(header("authorization") ?? "")?.[1],
    idempotencyKey: header("idempotency-key"),
    apiVersion: header("stripe-version"),
    status: undefined,
    answer: undefined,
  };
}
