import { useQuery, useQueryClient } from "@tanstack/react-query";

import { type ReactNode, useEffect, useState } from "react";
import { Refused } from "../api/client.js";
import { useSave } from "../api/save.js";
import { Button } from "../ui/button.js";
import { TextField } from "../ui/field.js";
import { Form } from "../ui/form.js";
import { Failure, Notice } from "../ui/notice.js";
import { canUsePasskeys, passkeyToSignIn } from "./passkey.js";
import { PasskeyPlace } from "./passkey-place.js";
import {
  askForLink,
  type Credential,
  endSession,
  type OpenedLink,
  sessionQuery,
  signIn,
  takeLink,
  takeProblem,
  waysQuery,
} from "./session.js";

/** The sign-in link that was opened. Opening another one changes only the part of the address after #. */
export function useLink(): readonly [link: OpenedLink | undefined, forget: () => void] {
  const [link, setLink] = useState(takeLink);
  useEffect(() => {
    const open = () => setLink((before) => takeLink() ?? before);
    window.addEventListener("hashchange", open);
    return () => window.removeEventListener("hashchange", open);
  }, []);
  return [link, () => setLink(undefined)];
}

const isUnknown = (error: unknown) => error instanceof Refused && error.status === 401;

/** Signs in. Nothing that was loaded for another person stays. */
function useSignIn(onSignedIn: () => void) {
  const client = useQueryClient();
  return useSave(async (given: Credential | "passkey") => {
    const credential = given === "passkey" ? { passkey: await passkeyToSignIn() } : given;
    const session = await signIn(credential);
    endSession(client);
    client.setQueryData(sessionQuery.queryKey, session);
    onSignedIn();
  });
}

/** Uses a link only after a click, because mail scanners open links and any page could redirect here. */
function UseLink({ link, busy, onGo }: { link: Credential; busy: boolean; onGo(): void }) {
  const about =
    "code" in link
      ? "This link signs you in once. Continue only if you created it in your terminal."
      : "This link signs you in once. Continue only if you were invited or asked for it.";
  return (
    <>
      <p className="text-sm text-soft">{about}</p>
      <Button kind="act" disabled={busy} onClick={onGo}>
        Sign in with this link
      </Button>
    </>
  );
}

function MailMeALink() {
  const [email, setEmail] = useState("");
  const ask = useSave(() => askForLink(email.trim()));
  if (ask.isSuccess) {
    return (
      <Notice>
        If {email.trim()} has an account, we sent a sign-in link to it. It works for 15 minutes.
      </Notice>
    );
  }
  return (
    <Form onSubmit={() => ask.mutate()} className="flex flex-col gap-3">
      <TextField
        label="Email"
        type="email"
        autoComplete="email"
        required
        value={email}
        onChange={({ target }) => setEmail(target.value)}
      />
      <Button type="submit" disabled={ask.isPending}>
        Email me a link
      </Button>
      {ask.isError && <Failure error={ask.error} />}
    </Form>
  );
}

function WithToken({ busy, onToken }: { busy: boolean; onToken(token: string): void }) {
  const [token, setToken] = useState("");
  function submit() {
    onToken(token.trim());
    setToken("");
  }
  return (
    <details className="text-sm">
      <summary className="text-soft">Use a token or the terminal</summary>
      <Form onSubmit={submit} className="mt-3 flex flex-col gap-3">
        <p className="text-soft">
          Run <code>npx gatehouse token link</code> in a terminal and open the link. Or paste a
          token:
        </p>
        <TextField
          label="Token"
          type="password"
          autoComplete="off"
          required
          value={token}
          onChange={({ target }) => setToken(target.value)}
        />
        <Button type="submit" disabled={busy}>
          Sign in
        </Button>
      </Form>
    </details>
  );
}

/** Sign-in with a passkey, a link or a token. There is no default password. */
export function SignIn({
  link,
  onSignedIn,
}: {
  readonly link: Credential | undefined;
  onSignedIn(): void;
}) {
  const signingIn = useSignIn(onSignedIn);
  const ways = useQuery(waysQuery);
  const [problem] = useState(takeProblem);
  const { mutate, isPending: busy } = signingIn;
  const asked = signingIn.variables;
  const wrongToken = asked !== undefined && asked !== "passkey" && "token" in asked;
  const forms: ReactNode = (
    <>
      {canUsePasskeys() && (
        <Button kind="act" disabled={busy} onClick={() => mutate("passkey")}>
          Sign in with a passkey
        </Button>
      )}
      <PasskeyPlace />
      {ways.data?.oidc != null && (
        <a href="/v1/console/oidc" className="button-act text-center">
          Sign in with {ways.data.oidc}
        </a>
      )}
      {ways.data?.mail === true && <MailMeALink />}
      {ways.data?.mail === false && (
        <p className="text-sm text-soft">
          No passkey yet? Open the link of your invitation, or ask an owner for a new one.
        </p>
      )}
      <WithToken busy={busy} onToken={(token) => mutate({ token })} />
    </>
  );
  return (
    <main className="mx-auto flex max-w-md flex-col gap-4 px-5 py-16">
      <title>Sign in · Gatehouse</title>
      <h1 className="text-2xl font-semibold tracking-tight">Sign in to Gatehouse</h1>
      {link !== undefined && !signingIn.isError ? (
        <UseLink {...{ link, busy }} onGo={() => mutate(link)} />
      ) : (
        forms
      )}
      {problem !== undefined && signingIn.isIdle && <Notice bad>{problem}</Notice>}
      {busy && <Notice>Signing in…</Notice>}
      {signingIn.isError &&
        (wrongToken && isUnknown(signingIn.error) ? (
          <Notice bad>This token does not exist or was revoked.</Notice>
        ) : (
          <Failure error={signingIn.error} />
        ))}
    </main>
  );
}

/** Shown when a signed-in person opens a link, which may belong to somebody else. */
export function SwitchPerson({
  name,
  link,
  onStay,
}: {
  readonly name: string;
  readonly link: Credential;
  onStay(): void;
}) {
  const signingIn = useSignIn(onStay);
  return (
    <main className="mx-auto flex max-w-md flex-col gap-4 px-5 py-16">
      <title>Sign in · Gatehouse</title>
      <h1 className="text-2xl font-semibold tracking-tight">You are signed in as {name}</h1>
      <p className="text-sm text-soft">
        This link signs you in once, possibly as another person. Continue only if you were invited
        or asked for it.
      </p>
      <Button kind="act" disabled={signingIn.isPending} onClick={() => signingIn.mutate(link)}>
        Sign in with this link
      </Button>
      <Button onClick={onStay}>Stay signed in as {name}</Button>
      {signingIn.isError && <Failure error={signingIn.error} />}
    </main>
  );
}
