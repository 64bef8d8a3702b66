import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useState } from "react";
import { Button } from "../ui/button.js";
import { Failure, Notice } from "../ui/notice.js";
import { sessionQuery, signIn, takeCode } from "./session.js";

/** The door of the console: by a link from the terminal, or by a token. There is no default password. */
export function SignIn() {
  const client = useQueryClient();
  const [token, setToken] = useState("");
  const signingIn = useMutation({
    mutationFn: signIn,
    onSuccess: (session) => client.setQueryData(sessionQuery.queryKey, session),
  });
  const { mutate } = signingIn;
  useEffect(() => {
    const openLink = () => {
      const code = takeCode();
      if (code !== undefined) mutate({ code });
    };
    openLink();
    // A link that is opened where this page is open already changes no more than what stands behind #.
    window.addEventListener("hashchange", openLink);
    return () => window.removeEventListener("hashchange", openLink);
  }, [mutate]);

  function submit(event: FormEvent) {
    event.preventDefault();
    mutate({ token: token.trim() });
    setToken("");
  }

  return (
    <main className="mx-auto flex max-w-md flex-col gap-4 px-5 py-16">
      <h1 className="text-2xl font-semibold">Sign in to Gatehouse</h1>
      <p className="text-soft">
        In the terminal, run <code>gatehouse token link</code> and open the link it prints. Or use a
        token:
      </p>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <label className="flex flex-col gap-1 text-sm font-medium">
          Token
          <input
            type="password"
            autoComplete="off"
            required
            value={token}
            onChange={(event) => setToken(event.target.value)}
            className="rounded-lg border border-line bg-card px-3 py-2 font-mono"
          />
        </label>
        <Button type="submit" kind="act" disabled={signingIn.isPending}>
          Sign in
        </Button>
      </form>
      {signingIn.isPending && <Notice>Signing in…</Notice>}
      {signingIn.isError && <Failure error={signingIn.error} />}
    </main>
  );
}
