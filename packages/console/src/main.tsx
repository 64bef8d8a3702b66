import { QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Refused } from "./api/client.js";
import { Unreachable } from "./api/reached.js";
import { router } from "./routes.js";
import { endSession, sessionQuery } from "./session/session.js";
import { SetUp } from "./session/set-up.js";
import { SignIn, SwitchPerson, useLink } from "./session/sign-in.js";
import { keepDraftsOf } from "./ui/kept-drafts.js";
import { Failure } from "./ui/notice.js";
import "virtual:design-tokens.css";
import "./style.css";

/** How long to wait before an unreachable service is asked again, at most. */
const AGAIN_MS_MAX = 4000;

/**
 * What the service refuses is not asked again, and other failures are, twice. Without a connection a request is
 * repeated until there is one: until then the page keeps what was loaded.
 */
const client: QueryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (count, error) =>
        error instanceof Unreachable || (!(error instanceof Refused) && count < 2),
      retryDelay: (count) => Math.min(1000 * 2 ** count, AGAIN_MS_MAX),
      // The service reports changes, and reading the audit log is itself recorded.
      refetchOnWindowFocus: false,
      // Whether there is a connection is seen from the answers, not from what the browser believes.
      networkMode: "always",
    },
  },
});

/** When a session ends, every page shows the sign-in. */
client.getQueryCache().subscribe((event) => {
  if (event.type !== "updated" || event.action.type !== "error") return;
  const { error } = event.action;
  if (error instanceof Refused && error.status === 401) endSession(client, true);
});

function Console() {
  const session = useQuery(sessionQuery);
  const [link, dropLink] = useLink();
  if (session.data === undefined) {
    const { failureReason } = session;
    return failureReason === null ? null : <Failure error={failureReason} />;
  }
  if (link?.kind === "set-up") {
    return <SetUp key={link.secret} code={link.secret} onDone={dropLink} />;
  }
  if (session.data === null) return <SignIn link={link} onSignedIn={dropLink} />;
  if (link !== undefined) {
    return <SwitchPerson name={session.data.name} link={link} onStay={dropLink} />;
  }
  keepDraftsOf(session.data.token_id);
  return <RouterProvider router={router} />;
}

const place = document.getElementById("root");
if (place === null) throw new Error("the page has no place for the console");
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <Console />
    </QueryClientProvider>
  </StrictMode>,
);
