import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Refused } from "../api/client.js";
import { useSave } from "../api/save.js";
import { Button } from "../ui/button.js";
import { TextField } from "../ui/field.js";
import { Form } from "../ui/form.js";
import { Failure, Notice } from "../ui/notice.js";
import { endSession, sessionQuery, signIn, takeCode } from "./session.js";

/** A link that was opened here; one that is opened later changes no more than what stands behind #. */
function useLink(): string | undefined {
  const [code, setCode] = useState(takeCode);
  useEffect(() => {
    const open = () => setCode((before) => takeCode() ?? before);
    window.addEventListener("hashchange", open);
    return () => window.removeEventListener("hashchange", open);
  }, []);
  return code;
}

const isUnknown = (error: unknown) => error instanceof Refused && error.status === 401;

/** The door of the console: by a link from the terminal, or by a token. There is no default password. */
export function SignIn() {
  const client = useQueryClient();
  const code = useLink();
  const [token, setToken] = useState("");
  const signingIn = useSave(async (given: Parameters<typeof signIn>[0]) => {
    const session = await signIn(given);
    endSession(client);
    client.setQueryData(sessionQuery.queryKey, session);
  });
  const { mutate } = signingIn;
  function submit() {
    mutate({ token: token.trim() });
    setToken("");
  }
  return (
    <main className="mx-auto flex max-w-md flex-col gap-4 px-5 py-16">
      <title>Sign in · Gatehouse</title>
      <h1 className="text-2xl font-semibold tracking-tight">Sign in to Gatehouse</h1>
      {code !== undefined && !signingIn.isError ? (
        <>
          {/* Asked for, and not done by itself: any page could send somebody here with a link of its own. */}
          <p className="text-sm text-soft">
            This link signs you in, once. Go on only if you made it in your terminal.
          </p>
          <Button kind="act" disabled={signingIn.isPending} onClick={() => mutate({ code })}>
            Sign in with this link
          </Button>
        </>
      ) : (
        <>
          <p className="text-sm text-soft">
            In the terminal, run <code>npx gatehouse token link</code> and open the link it prints.
            Or use a token:
          </p>
          <Form onSubmit={submit} className="flex flex-col gap-3">
            <TextField
              label="Token"
              type="password"
              autoComplete="off"
              required
              value={token}
              onChange={({ target }) => setToken(target.value)}
            />
            <Button type="submit" kind="act" disabled={signingIn.isPending}>
              Sign in
            </Button>
          </Form>
        </>
      )}
      {signingIn.isPending && <Notice>Signing in…</Notice>}
      {signingIn.isError &&
        (signingIn.variables !== undefined &&
        "token" in signingIn.variables &&
        isUnknown(signingIn.error) ? (
          <Notice bad>This token is not known here, or was revoked.</Notice>
        ) : (
          <Failure error={signingIn.error} />
        ))}
    </main>
  );
}
