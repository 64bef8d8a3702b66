import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { type Api, call, Refused } from "../api/client.js";

const PATH = "/v1/console/session";

export type Session = Api["ConsoleSession"];

/** Who is signed in; null for nobody. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: async (): Promise<Session | null> => {
    try {
      return await call<Session>("GET", PATH);
    } catch (error) {
      if (error instanceof Refused && error.status === 401) return null;
      throw error;
    }
  },
  staleTime: 60_000,
});

export const signIn = (given: { code: string } | { token: string }) =>
  call<Session>("POST", PATH, given);

export const signOut = () => call<void>("DELETE", PATH);

const CODE = /^[\w-]{43}$/;

/** Takes the code out of the address, so that neither history nor a copied link has it. */
export function takeCode(): string | undefined {
  const { hash, pathname, search } = window.location;
  const code = new URLSearchParams(hash.slice(1)).get("code") ?? undefined;
  if (code === undefined) return undefined;
  window.history.replaceState(null, "", pathname + search);
  return CODE.test(code) ? code : undefined;
}

/** Nobody is signed in any more, and whoever is next sees nothing of what was shown before. */
export function endSession(client: QueryClient): void {
  const [session] = sessionQuery.queryKey;
  client.setQueryData(sessionQuery.queryKey, null);
  sessionStorage.clear();
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== session });
}
