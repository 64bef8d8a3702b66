import { useQuery } from "@tanstack/react-query";
import { canUsePasskeys } from "../session/confirm.js";
import { sessionQuery } from "../session/session.js";
import { accountQuery } from "./account.js";
import { AddPasskey } from "./add-passkey.js";

/** Suggests a passkey to people who signed in with a link, so that they need no email next time. */
export function FirstPasskey() {
  const { data: session } = useQuery(sessionQuery);
  const { data: account } = useQuery({ ...accountQuery, enabled: session?.kind === "person" });
  if (account === undefined || !canUsePasskeys()) return null;
  if (account.passkeys.some(({ usable }) => usable)) return null;
  return (
    <section
      aria-label="Add a passkey"
      className="mb-5 flex flex-wrap items-center gap-3 rounded-lg border border-act/50 bg-act/5 px-4 py-3 text-sm"
    >
      <p className="min-w-0 flex-1">
        Add a passkey to sign in with your fingerprint, face or PIN next time, without a link.
      </p>
      <AddPasskey isMain={false} />
    </section>
  );
}
