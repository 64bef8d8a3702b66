import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Api, call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { canUsePasskeys, LOST_PASSKEY } from "../session/confirm.js";
import { PasskeyPlace } from "../session/passkey-place.js";
import { sessionQuery } from "../session/session.js";
import { Badge } from "../ui/badge.js";
import { Button } from "../ui/button.js";
import { Confirm } from "../ui/confirm.js";
import { useDraft } from "../ui/draft.js";
import { TextField } from "../ui/field.js";
import { Form } from "../ui/form.js";
import { Failure, Notice } from "../ui/notice.js";
import { Card, Page } from "../ui/page.js";
import { ShortTime } from "../ui/time.js";
import { accountQuery } from "./account.js";
import { AddPasskey } from "./add-passkey.js";

type Account = Api["OwnAccount"];
const NAME_CHARS_MAX = 80;

function Name({ account }: { readonly account: Account }) {
  const draft = useDraft({ name: account.name }, { keep: "name" });
  const { name } = draft.value;
  const save = useSave(() => call("PATCH", "/v1/console/person", { name }), "account", "session");
  return (
    <Card title="Your name">
      <Form
        of={save}
        done="Saved."
        onSubmit={() => save.mutate(undefined, { onSuccess: () => draft.saved(draft.value) })}
        className="flex flex-wrap items-end gap-3"
      >
        <TextField
          label="Name"
          name="name"
          hint="Colleagues see it next to your decisions. The audit log contains only your ID."
          required
          maxLength={NAME_CHARS_MAX}
          value={name}
          onChange={({ target }) => draft.set({ name: target.value })}
        />
        <Button type="submit" disabled={save.isPending || name === account.name}>
          Save
        </Button>
      </Form>
    </Card>
  );
}

interface PasskeysProps {
  readonly account: Account;
  readonly personId: string;
}

function Passkeys({ account, personId }: PasskeysProps) {
  const remove = useSave(
    (id: string) => call("DELETE", `/v1/console/passkeys/${encodeURIComponent(id)}`),
    "account",
  );
  return (
    <Card title="Passkeys">
      <p className="text-sm text-soft">
        A passkey signs you in with your fingerprint, face or PIN. You also need one for important
        changes, such as to rules, payments, people, tokens and keys.
      </p>
      <ul className="flex flex-col gap-2 text-sm">
        {account.passkeys.map(({ passkey_id, name, created_at, last_used_at, usable }) => (
          <li key={passkey_id} className="flex flex-wrap items-center gap-2">
            <span className="min-w-0 flex-1">
              {name} {!usable && <Badge word="unusable" look="warn" />}
              <span className="block text-xs text-soft">
                Added <ShortTime at={created_at} />
                {last_used_at !== null && (
                  <>
                    , last used <ShortTime at={last_used_at} />
                  </>
                )}
              </span>
            </span>
            <Confirm
              label="Remove"
              title={`Remove the passkey ${name}?`}
              yes="Remove"
              danger
              onYes={() => remove.mutateAsync(passkey_id)}
            >
              <p>It no longer signs you in. You can add it again later.</p>
            </Confirm>
          </li>
        ))}
      </ul>
      {account.passkeys.some(({ usable }) => !usable) && (
        <Notice>
          A passkey that is marked unusable belongs to an earlier address of this service. Add a new
          passkey, then remove the unusable one.
        </Notice>
      )}
      {account.passkeys.length > 0 && (
        <p className="text-sm text-soft">
          {LOST_PASSKEY} If there is nobody else, run{" "}
          <code>npx gatehouse person link {personId} --reset</code> on the server.
        </p>
      )}
      {canUsePasskeys() ? (
        <div>
          <AddPasskey />
        </div>
      ) : (
        <PasskeyPlace />
      )}
    </Card>
  );
}

function Sessions({ account }: { readonly account: Account }) {
  const end = useSave((id: string) => call("DELETE", `/v1/console/sessions/${id}`), "account");
  return (
    <Card title="Where you are signed in">
      <ul className="flex flex-col gap-2 text-sm">
        {account.sessions.map(({ session_id, device, created_at, last_used_at, current }) => (
          <li key={session_id} className="flex flex-wrap items-center gap-2">
            <span className="min-w-0 flex-1">
              {device} {current && <strong className="font-medium">(this browser)</strong>}
              <span className="block text-xs text-soft">
                Signed in <ShortTime at={created_at} />, last used{" "}
                {last_used_at === null ? "never" : <ShortTime at={last_used_at} />}
              </span>
            </span>
            {!current && (
              <Button disabled={end.isPending} onClick={() => end.mutate(session_id)}>
                Sign out
              </Button>
            )}
          </li>
        ))}
      </ul>
      {end.isError && <Failure error={end.error} />}
    </Card>
  );
}

/** The account of the signed-in person: name, passkeys and sessions. */
export function AccountPage() {
  const { data: session } = useQuery(sessionQuery);
  const isPerson = session?.kind === "person";
  const account = useQuery({ ...accountQuery, enabled: isPerson });
  return (
    <Page
      title="Your account"
      purpose="Your name, passkeys and sessions."
      actions={
        <Link to="/" className="button-plain">
          Back to Home
        </Link>
      }
    >
      {!isPerson && (
        <Notice>
          You are signed in with a token. To get your own account, ask an owner to invite you.
        </Notice>
      )}
      {account.isError && <Failure error={account.error} />}
      {account.data !== undefined && (
        <>
          <Name account={account.data} />
          <Passkeys account={account.data} personId={session?.token_id ?? ""} />
          <Sessions account={account.data} />
        </>
      )}
    </Page>
  );
}
