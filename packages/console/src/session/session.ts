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

export type Credential =
  | { readonly code: string }
  | { readonly token: string }
  | { readonly link: string }
  | { readonly passkey: unknown };

export const signIn = (given: Credential) => call<Session>("POST", PATH, given);

/** Asks for a mail with a sign-in link. */
export const askForLink = (email: string) =>
  call<void>("POST", "/v1/console/sign-in-links", { email });

export const signOut = () => call<void>("DELETE", PATH);

const SECRET = /^[\w-]{43}$/;

/** Takes the secret of a link out of the address, so that neither history nor a copied link has it. */
export function takeLink(): Credential | undefined {
  const { hash, pathname, search } = window.location;
  const params = new URLSearchParams(hash.slice(1));
  const [code, link] = [params.get("code"), params.get("link")];
  if (code === null && link === null) return undefined;
  window.history.replaceState(null, "", pathname + search);
  if (code !== null && SECRET.test(code)) return { code };
  return link !== null && SECRET.test(link) ? { link } : undefined;
}

/** Nobody is signed in any more, and whoever is next sees nothing of what was shown before. */
export function endSession(client: QueryClient): void {
  const [session] = sessionQuery.queryKey;
  client.setQueryData(sessionQuery.queryKey, null);
  sessionStorage.clear();
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== session });
}
