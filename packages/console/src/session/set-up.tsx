import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { AddPasskey } from "../account/add-passkey.js";
import { Refused } from "../api/client.js";
import { useSave } from "../api/save.js";
import { Button } from "../ui/button.js";
import { useDraft } from "../ui/draft.js";
import { TextField } from "../ui/field.js";
import { Form } from "../ui/form.js";
import { Notice } from "../ui/notice.js";
import { canUsePasskeys } from "./confirm.js";
import { Frame } from "./frame.js";
import { PasskeyPlace } from "./passkey-place.js";
import { setUpOwner, startSession, waysQuery } from "./session.js";

const NAME_CHARS_MAX = 80;

/** The second step: the account exists, and gets its passkey. */
function FirstPasskey({ onDone }: { onDone(): void }) {
  return (
    <Frame
      title="Add a passkey"
      purpose="A passkey signs you in with your fingerprint, face or PIN. You also need one to change rules, payment settings, keys and people."
    >
      <AddPasskey onAdded={onDone} />
      <Button onClick={onDone}>Not now</Button>
    </Frame>
  );
}

interface AccountFormProps {
  readonly code: string;
  onCreated(): void;
  onLeave(): void;
}

function AccountForm({ code, onCreated, onLeave }: AccountFormProps) {
  const client = useQueryClient();
  const ways = useQuery(waysQuery);
  const draft = useDraft({ name: "", email: "" }, { keep: "account" });
  const { name, email } = draft.value;
  const create = useSave(async () => {
    const session = await setUpOwner({ code, name, email: email.trim() });
    draft.saved(draft.value);
    startSession(client, session);
    onCreated();
  });
  const isUsed = create.error instanceof Refused && create.error.status === 401;
  return (
    <Form
      of={isUsed ? undefined : create}
      onSubmit={() => create.mutate()}
      className="flex flex-col gap-3"
    >
      <TextField
        label="Your name"
        name="name"
        hint="Colleagues see it next to your decisions."
        autoComplete="name"
        required
        maxLength={NAME_CHARS_MAX}
        value={name}
        onChange={({ target }) => draft.set({ name: target.value })}
      />
      <TextField
        label="Email (optional)"
        name="email"
        type="email"
        autoComplete="email"
        hint={
          ways.data?.mail === true
            ? "You can sign in with a link sent to this address. Important changes still need a passkey."
            : "We can send sign-in links to this address as soon as the service can send email."
        }
        value={email}
        onChange={({ target }) => draft.set({ email: target.value })}
      />
      <Button type="submit" kind="act" disabled={create.isPending}>
        Create account
      </Button>
      {create.isError && (
        <>
          {isUsed && (
            <Notice bad>
              This link was already used or has expired. Create another one with{" "}
              <code>npx gatehouse token link</code>.
            </Notice>
          )}
          <Button onClick={onLeave}>Go to sign-in</Button>
        </>
      )}
    </Form>
  );
}

/**
 * The page of the set-up link: whoever has it becomes the first operator. Nothing happens before they send the form, because
 * scanners and previews open links too.
 */
export function SetUp({ code, onDone }: { readonly code: string; onDone(): void }) {
  const [created, setCreated] = useState(false);
  if (created) return <FirstPasskey onDone={onDone} />;
  const onCreated = canUsePasskeys() ? () => setCreated(true) : onDone;
  const form = <AccountForm code={code} onCreated={onCreated} onLeave={onDone} />;
  return (
    <Frame
      title="Create your account"
      purpose="You will be the operator of this installation and the owner of its sites. Continue only if you created this link in your terminal."
    >
      {canUsePasskeys() ? (
        form
      ) : (
        <>
          <PasskeyPlace hash={`#set-up=${code}`} />
          <details className="text-sm">
            <summary className="text-soft">Continue here without a passkey</summary>
            <p className="my-3 text-soft">
              Without a passkey you cannot change rules, payment settings, keys and people. You can
              use a token for that.
            </p>
            {form}
          </details>
        </>
      )}
    </Frame>
  );
}
