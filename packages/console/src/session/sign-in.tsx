import { useQuery, useQueryClient } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import { useEffect, useState } from "react";
import { Refused } from "../api/client.js";
import { useSave } from "../api/save.js";
import { Button } from "../ui/button.js";
import { TextField } from "../ui/field.js";
import { Form } from "../ui/form.js";
import { Failure, Notice } from "../ui/notice.js";
import { canUsePasskeys } from "./confirm.js";
import { Frame } from "./frame.js";
import { passkeyToSignIn } from "./passkey.js";
import { PasskeyPlace } from "./passkey-place.js";
import {
  askForLink,
  type Credential,
  hasEnded,
  type OpenedLink,
  signIn,
  startSession,
  takeLink,
  takeProblem,
  waysQuery,
} from "./session.js";

/** The sign-in link that was opened. Opening another one changes only the part of the address after #. */
export function useLink(): readonly [link: OpenedLink | undefined, drop: () => void] {
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
    const credential =
      given === "passkey" ? { kind: "passkey" as const, answer: await passkeyToSignIn() } : given;
    const session = await signIn(credential);
    startSession(client, session);
    onSignedIn();
  });
}

/** Uses a link only after a click, because mail scanners open links and any page could redirect here. */
function UseLink({ link, busy, onGo }: { link: Credential; busy: boolean; onGo(): void }) {
  const purpose =
    link.kind === "code"
      ? "This link signs you in once. Continue only if you created it in your terminal."
      : "This link signs you in once. Continue only if you were invited or asked for it.";
  return (
    <>
      <p className="text-sm text-soft">{purpose}</p>
      <Button kind="act" className={LARGE} disabled={busy} onClick={onGo}>
        Sign in with this link
      </Button>
    </>
  );
}

function MailMeALink({ isMain }: { readonly isMain: boolean }) {
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
    <Form of={ask} onSubmit={() => ask.mutate()} className="flex flex-col gap-3">
      <TextField
        label="Email"
        name="email"
        type="email"
        autoComplete="email"
        required
        value={email}
        onChange={({ target }) => setEmail(target.value)}
      />
      <Button type="submit" kind={isMain ? "act" : "plain"} disabled={ask.isPending}>
        Email me a link
      </Button>
    </Form>
  );
}

interface TokenProps {
  readonly busy: boolean;
  /** What is wrong with the token that was tried. */
  readonly problem: string | undefined;
  onToken(token: string): void;
}

function WithToken({ busy, problem, onToken }: TokenProps) {
  const [token, setToken] = useState("");
  function submit() {
    onToken(token.trim());
    setToken("");
  }
  return (
    <details className="text-sm" open={problem !== undefined || undefined}>
      <summary className="text-soft">For programs</summary>
      <Form onSubmit={submit} className="mt-3 flex flex-col gap-3">
        <p className="text-soft">
          Paste a token. Or run <code>npx gatehouse token link</code> in a terminal and open the
          link.
        </p>
        <TextField
          label="Token"
          type="password"
          autoComplete="off"
          error={problem}
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

const LARGE = "flex items-center justify-center gap-2 py-2.5";

interface WaysProps {
  readonly busy: boolean;
  readonly tokenProblem: string | undefined;
  onGo(given: Credential | "passkey"): void;
}

/** The ways to sign in, the best one first. Only that one stands out. */
function Ways({ busy, tokenProblem, onGo }: WaysProps) {
  const { data: ways } = useQuery(waysQuery);
  const hasPasskeys = canUsePasskeys();
  const isElsewhere =
    ways?.passkey_origin != null && ways.passkey_origin !== window.location.origin;
  const isFirst = !hasPasskeys && !isElsewhere;
  const company = ways?.oidc ?? null;
  const hasOthers = ways?.mail === true || company !== null;
  return (
    <>
      {hasPasskeys && (
        <Button kind="act" className={LARGE} disabled={busy} onClick={() => onGo("passkey")}>
          <KeyRound aria-hidden size={18} />
          Sign in with a passkey
        </Button>
      )}
      <PasskeyPlace />
      {hasPasskeys && hasOthers && (
        <p className="flex items-center gap-3 text-sm text-soft before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
          or
        </p>
      )}
      {ways?.mail === true && <MailMeALink isMain={isFirst && company === null} />}
      {company !== null && (
        <a
          href="/v1/console/oidc"
          className={`${isFirst ? "button-act" : "button-plain"} text-center`}
        >
          Sign in with {company}
        </a>
      )}
      {ways?.mail === false && (
        <p className="text-sm text-soft">
          No passkey yet? Open the link of your invitation, or ask an owner for a new one.
        </p>
      )}
      <WithToken
        busy={busy}
        problem={tokenProblem}
        onToken={(token) => onGo({ kind: "token", secret: token })}
      />
    </>
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
  const [problem] = useState(takeProblem);
  const client = useQueryClient();
  const [ended] = useState(() => hasEnded(client));
  const { mutate, isPending: busy } = signingIn;
  const credential = signingIn.variables;
  const isToken =
    credential !== undefined && credential !== "passkey" && credential.kind === "token";
  const tokenProblem =
    isToken && isUnknown(signingIn.error) ? "This token does not exist or was revoked." : undefined;
  return (
    <Frame title="Sign in to Gatehouse" tab="Sign in">
      {ended && signingIn.isIdle && (
        <Notice>
          Your session has ended. Sign in again. Most unsaved changes are kept in this tab.
        </Notice>
      )}
      {problem !== undefined && signingIn.isIdle && <Notice bad>{problem}</Notice>}
      {busy && <Notice>Signing in…</Notice>}
      {signingIn.isError && tokenProblem === undefined && <Failure error={signingIn.error} />}
      {link !== undefined && !signingIn.isError ? (
        <UseLink link={link} busy={busy} onGo={() => mutate(link)} />
      ) : (
        <Ways busy={busy} tokenProblem={tokenProblem} onGo={mutate} />
      )}
    </Frame>
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
    <Frame
      title={`You are signed in as ${name}`}
      tab="Sign in"
      purpose="This link signs you in once, possibly as another person. Continue only if you were invited or asked for it."
    >
      <Button kind="act" disabled={signingIn.isPending} onClick={() => signingIn.mutate(link)}>
        Sign in with this link
      </Button>
      <Button onClick={onStay}>Stay signed in as {name}</Button>
      {signingIn.isError && <Failure error={signingIn.error} />}
    </Frame>
  );
}
