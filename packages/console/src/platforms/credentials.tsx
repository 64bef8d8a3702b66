import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Api, call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useSite } from "../layout/sites.js";
import { Badge } from "../ui/badge.js";
import { Button } from "../ui/button.js";
import { Confirm } from "../ui/confirm.js";
import { Select, TextField } from "../ui/field.js";
import { Form } from "../ui/form.js";
import { Id, Snippet } from "../ui/id.js";
import { Failure, Notice } from "../ui/notice.js";
import { Card, Facts } from "../ui/page.js";
import { ShortTime } from "../ui/time.js";

type Credential = Api["PlatformCredential"];

const KINDS = {
  api_key: "API key (X-API-Key)",
  oauth_client: "OAuth client (client ID and secret)",
} as const;
const DAYS = 365;
const DAYS_MAX = 730;

/** The secret of a new key, which the service shows only once. */
function Created({ created }: { readonly created: Api["CreatedPlatformCredential"] }) {
  return (
    <>
      <Notice>Copy the secret now. It is not shown again.</Notice>
      {created.kind === "oauth_client" && (
        <Facts
          rows={[
            ["Client ID", <Id key="id" value={created.credential_id} label="client ID" />],
            [
              "Token URL",
              created.token_url && <Id key="url" value={created.token_url} label="token URL" />,
            ],
          ]}
        />
      )}
      <Snippet
        label={created.kind === "api_key" ? "API key" : "client secret"}
        text={created.secret}
      />
    </>
  );
}

function NewCredential({ at }: { readonly at: string }) {
  const [kind, setKind] = useState<string>("api_key");
  const [days, setDays] = useState(String(DAYS));
  const create = useSave(
    () =>
      call<Api["CreatedPlatformCredential"]>("POST", at, { kind, expires_in_days: Number(days) }),
    "platform-credentials",
  );
  return (
    <>
      <Form
        of={create}
        onSubmit={() => create.mutate()}
        className="grid items-start gap-3 sm:grid-cols-3"
      >
        <Select label="Kind" value={kind} choices={KINDS} onChoose={setKind} />
        <TextField
          label="Valid for (days)"
          name="expires_in_days"
          type="number"
          required
          min={1}
          max={DAYS_MAX}
          value={days}
          onChange={({ target }) => setDays(target.value)}
        />
        <Button
          type="submit"
          kind="act"
          className="justify-self-start sm:mt-6"
          disabled={create.isPending}
        >
          Create key
        </Button>
      </Form>
      {create.data !== undefined && <Created created={create.data} />}
    </>
  );
}

/** The state of a key, in one word. */
function stateOf({ revoked_at, expires_at }: Credential): string {
  if (revoked_at !== null) return "revoked";
  return Date.parse(expires_at) <= Date.now() ? "expired" : "active";
}

function Row({ credential, at }: { readonly credential: Credential; readonly at: string }) {
  const { credential_id: id, kind, expires_at, last_used_at } = credential;
  const revoke = useSave(
    () => call("DELETE", `${at}/${encodeURIComponent(id)}`),
    "platform-credentials",
  );
  const state = stateOf(credential);
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line pt-3 text-sm">
      <span className="flex min-w-0 flex-1 flex-col gap-1">
        <span className="flex flex-wrap items-center gap-2 font-medium">
          {KINDS[kind]} <Badge word={state} />
        </span>
        <span className="text-soft">
          Expires <ShortTime at={expires_at} />,{" "}
          {last_used_at === null ? (
            "never used"
          ) : (
            <>
              last used <ShortTime at={last_used_at} />
            </>
          )}
        </span>
        <Id value={id} label="key ID" />
      </span>
      {state === "active" && (
        <Confirm
          label="Revoke"
          title="Revoke this key?"
          yes="Revoke"
          danger
          onYes={() => revoke.mutateAsync()}
        >
          <p>It stops working immediately. The platform needs another key to call your shop.</p>
        </Confirm>
      )}
    </li>
  );
}

/** The API keys and OAuth clients of a platform. Only admitted platforms can have them. */
export function CredentialsCard({ platform }: { readonly platform: Api["Platform"] }) {
  const { path } = useSite();
  const at = `${path}/platforms/${encodeURIComponent(platform.platform)}/credentials`;
  const query = useQuery({
    queryKey: ["platform-credentials", at],
    queryFn: () => call<{ readonly items: readonly Credential[] }>("GET", at),
  });
  return (
    <Card title="Keys">
      <p className="text-sm text-soft">
        For platforms that do not sign their calls, such as Google. Two keys of each kind can be
        valid at a time, so that you can replace one.
      </p>
      {platform.status === "admitted" ? (
        <NewCredential at={at} />
      ) : (
        <Notice>Admit the platform first. Then you can create keys for it.</Notice>
      )}
      {query.isError && <Failure error={query.error} />}
      {query.isSuccess && query.data.items.length > 0 && (
        <ul aria-label="Keys" className="flex flex-col gap-3">
          {query.data.items.map((credential) => (
            <Row key={credential.credential_id} credential={credential} at={at} />
          ))}
        </ul>
      )}
    </Card>
  );
}
