import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { type Api, call, Refused } from "../api/client.js";
import { clearAllButDrafts } from "../ui/kept-drafts.js";
import { MINUTE_MS } from "../ui/time-units.js";

const PATH = "/v1/console/session";

export type Session = Api["ConsoleSession"];

/** The current session, or null if nobody is signed in. */
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
  staleTime: MINUTE_MS,
});

export type Credential =
  | { readonly kind: "code" | "token" | "link"; readonly secret: string }
  | { readonly kind: "passkey"; readonly answer: unknown };

export const signIn = (given: Credential) =>
  call<Session>("POST", PATH, {
    [given.kind]: given.kind === "passkey" ? given.answer : given.secret,
  });

/** The ways to sign in that this installation offers. */
export const waysQuery = queryOptions({
  queryKey: ["sign-in ways"],
  queryFn: () => call<Api["SignInWays"]>("GET", "/v1/console/sign-in-ways"),
});

/** Requests an email with a sign-in link. */
export const askForLink = (email: string) =>
  call<void>("POST", "/v1/console/sign-in-links", { email });

/** Creates the account of the first owner, and signs them in. */
export const setUpOwner = ({ code, name, email }: Record<"code" | "name" | "email", string>) =>
  call<Session>("POST", "/v1/console/set-up", { code, name, ...(email === "" ? {} : { email }) });

export const signOut = () => call<void>("DELETE", PATH);

const SECRET = /^[\w-]{43}$/;

/** A link that was opened: one that signs in, or the one that creates the account of the first owner. */
export type OpenedLink = Credential | { readonly kind: "set-up"; readonly secret: string };

/** Removes the secret from the address, so that neither the history nor a copied link contains it. */
export function takeLink(): OpenedLink | undefined {
  const { hash, pathname, search } = window.location;
  const params = new URLSearchParams(hash.slice(1));
  const [code, link, setUp] = [params.get("code"), params.get("link"), params.get("set-up")];
  if (code === null && link === null && setUp === null) return undefined;
  window.history.replaceState(null, "", pathname + search);
  if (setUp !== null && SECRET.test(setUp)) return { kind: "set-up", secret: setUp };
  if (code !== null && SECRET.test(code)) return { kind: "code", secret: code };
  return link !== null && SECRET.test(link) ? { kind: "link", secret: link } : undefined;
}

const PROBLEMS: Readonly<Record<string, string>> = {
  oidc_unavailable: "Your company's sign-in service cannot be reached. Try again later.",
  too_many_attempts: "Too many attempts to sign in. Try again in a minute.",
  oidc_failed: "The sign-in did not work. Try again.",
  oidc_unknown:
    "There is no invitation for this email address. Ask an owner to invite you, or sign in with the invited address.",
};

/** Takes what went wrong elsewhere out of the address. */
export function takeProblem(): string | undefined {
  const { hash, pathname, search } = window.location;
  const problem = new URLSearchParams(hash.slice(1)).get("problem");
  if (problem === null) return undefined;
  window.history.replaceState(null, "", pathname + search);
  return PROBLEMS[problem];
}

/** Deletes everything that was loaded, so that the next person does not see it. */
function deleteLoaded(client: QueryClient): void {
  // The page to sign in shows the ways, and loads them only when it opens.
  const kept: readonly unknown[] = [sessionQuery.queryKey[0], waysQuery.queryKey[0]];
  client.removeQueries({ predicate: ({ queryKey }) => !kept.includes(queryKey[0]) });
}

const ENDED_KEY = [...sessionQuery.queryKey, "ended"];

/** Whether the last session ended without a sign-out. */
export const hasEnded = (client: QueryClient): boolean => client.getQueryData(ENDED_KEY) === true;

export function endSession(client: QueryClient, byService = false): void {
  client.setQueryData(ENDED_KEY, byService);
  client.setQueryData(sessionQuery.queryKey, null);
  clearAllButDrafts();
  // After the sign-in has replaced the pages: one that is drawn once more still finds its site.
  setTimeout(() => deleteLoaded(client));
}

/** Starts a session in place of an earlier one. It comes before the pages, which would wait for deleted data. */
export function startSession(client: QueryClient, session: Session): void {
  clearAllButDrafts();
  deleteLoaded(client);
  client.setQueryData(sessionQuery.queryKey, session);
}
