import { buyingText } from "@gatehouse/protocol";
import { useQuery } from "@tanstack/react-query";
import { call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useMay, useSite } from "../layout/sites.js";
import { Badge } from "../ui/badge.js";
import { Button } from "../ui/button.js";
import { Confirm } from "../ui/confirm.js";
import { useDraft } from "../ui/draft.js";
import { Checkbox, Select, TextField } from "../ui/field.js";
import { Fold } from "../ui/fold.js";
import { Form } from "../ui/form.js";
import { Id } from "../ui/id.js";
import { Loading } from "../ui/loading.js";
import { Failure, Notice } from "../ui/notice.js";
import { Card, Facts } from "../ui/page.js";
import { SaveRow } from "../ui/save-row.js";
import { Time } from "../ui/time.js";
import { titleOf } from "../ui/words.js";
import { adviceFor, type Processor, processorQuery } from "./processor.js";

const KINDS = { sandbox: "Sandbox (test payments only)", stripe: "Stripe" } as const;

/** What must be ready before anybody can buy. */
const GATES: Readonly<Record<string, string>> = {
  domain: "Your domain is verified",
  processor: "A payment provider is connected",
  rail: "Agents can pay through this provider",
  settlement: "You confirmed that this provider pays out to you",
  policy: "Your rules are published",
  pause: "Sales are not paused",
};

/** A wallet needs a merchant id only for real payments: before that, nothing about it is set up or missing. */
const isShown = ({ name, open }: Processor["gates"][number], { live }: Processor) =>
  name !== "wallet" || live || !open;

function gateText(name: string, { live }: Processor): string {
  if (name === "wallet") return "Your Google Pay merchant ID is entered";
  // Nobody confirms what does not happen.
  if (name === "settlement" && !live) return "Payouts: none in test mode";
  return GATES[name] ?? name;
}

/** What is ready for selling, and how to fix the rest. */
export function Gates({ processor }: { readonly processor: Processor }) {
  return (
    <ul className="flex flex-col gap-1.5 text-sm">
      {processor.gates
        .filter((gate) => isShown(gate, processor))
        .map(({ name, open, advice }) => (
          <li key={name} data-gate={name} className="flex items-baseline gap-2">
            <Badge word={open ? "ready" : "missing"} look={open ? "good" : "warn"} />
            <span className="min-w-0">
              {gateText(name, processor)}
              {!open && <span className="text-soft"> {adviceFor(name, advice)}</span>}
            </span>
          </li>
        ))}
    </ul>
  );
}

const SECRETS = [
  [
    "secret_key",
    "Restricted key (rk_…) or secret key (sk_…)",
    "In Stripe, create a restricted key under Developers → API keys.",
  ],
  [
    "publishable_key",
    "Publishable key (pk_…)",
    "Next to the secret key. Platforms need it to pay.",
  ],
  [
    "webhook_secret",
    "Signing secret for events (whsec_…)",
    "Stripe shows it when you add the endpoint for events under Developers → Webhooks.",
  ],
  [
    "approval_secret",
    "Signing secret for Stripe's order approvals (whsec_…)",
    "Only if you sell through Stripe's agentic checkout.",
  ],
  [
    "wallet_merchant_id",
    "Google Pay merchant ID (live only)",
    "From the Google Pay & Wallet Console.",
  ],
] as const;

function ProcessorForm({ saved }: { readonly saved: Processor }) {
  const { path } = useSite();
  const draft = useDraft(
    {
      kind: (saved.kind ?? "sandbox") as string,
      rail: saved.rail_on || saved.kind === null,
      settles: saved.settles,
      secrets: {} as Readonly<Record<string, string>>,
    },
    { keep: "processor", secret: ["secrets"] },
  );
  const { kind, rail, settles, secrets } = draft.value;
  const save = useSave(
    () => {
      const given = Object.entries(secrets).filter(([, value]) => value.trim() !== "");
      const filled = kind === "stripe" ? Object.fromEntries(given) : {};
      // The sandbox pays nobody, so there is nothing to confirm.
      const confirmed = settles || kind === "sandbox";
      return call("PUT", `${path}/processor`, {
        kind,
        rail_on: rail,
        settles: confirmed,
        ...filled,
      });
    },
    "processor",
    "sites",
    "skills",
  );
  function choose(chosen: string) {
    // What was confirmed about one provider says nothing about another.
    draft.set({ kind: chosen, settles: chosen === saved.kind && saved.settles });
  }
  const isConnected = saved.kind === "stripe";
  const keys = SECRETS.map(([name, label, hint]) => (
    <TextField
      key={name}
      label={label}
      hint={hint}
      name={name}
      type={name === "wallet_merchant_id" ? "text" : "password"}
      autoComplete="off"
      placeholder={isConnected ? "Unchanged" : ""}
      value={secrets[name] ?? ""}
      onChange={({ target }) => draft.set({ secrets: { ...secrets, [name]: target.value } })}
    />
  ));
  function submit() {
    save.mutate(undefined, { onSuccess: () => draft.saved(draft.value) });
  }
  return (
    <Form of={save} done="Saved." onSubmit={submit} className="flex flex-col gap-3">
      <Select label="Payment provider" name="kind" value={kind} choices={KINDS} onChoose={choose} />
      {kind === "stripe" && (isConnected ? <Fold label="Replace the keys">{keys}</Fold> : keys)}
      <Checkbox
        label="Let agents pay through this provider"
        checked={rail}
        onChange={({ target }) => draft.set({ rail: target.checked })}
      />
      {kind !== "sandbox" && (
        <Checkbox
          label="This provider pays out to me"
          hint="You confirm this yourself. Nobody can buy until you do."
          checked={settles}
          onChange={({ target }) => draft.set({ settles: target.checked })}
        />
      )}
      <SaveRow
        draft={draft}
        busy={save.isPending}
        label={saved.kind === null ? "Connect" : "Save"}
      />
    </Form>
  );
}

function StripeDetails({ stripe }: { readonly stripe: NonNullable<Processor["stripe"]> }) {
  const secretText = (isSet: boolean) => (isSet ? "Set" : "Not set");
  return (
    <Fold>
      <Facts
        rows={[
          [
            "Address for events",
            <Id key="events" value={stripe.events_url} label="address for events" />,
          ],
          ["Signing secret for events", secretText(stripe.webhook_secret_set)],
          [
            "Address for order approvals",
            <Id key="approvals" value={stripe.approval_url} label="address for order approvals" />,
          ],
          ["Signing secret for order approvals", secretText(stripe.approval_secret_set)],
        ]}
      />
    </Fold>
  );
}

function ConnectedProvider({ saved }: { readonly saved: Processor }) {
  const { path } = useSite();
  const mayChange = useMay("owner");
  const test = useSave(() =>
    call<{ ok?: boolean; says?: string }>("POST", `${path}/processor/test`, {}),
  );
  const remove = useSave(() => call("DELETE", `${path}/processor`), "processor", "sites");
  const { stripe } = saved;
  return (
    <>
      <Facts
        rows={[
          ["Payment provider", saved.kind && titleOf(saved.kind)],
          ["Mode", saved.live ? "Live" : "Test"],
          ["Account", stripe?.account],
          ["Connected", stripe && <Time key="since" at={stripe.connected_at} />],
          [
            "Signing secret for events",
            stripe && !stripe.webhook_secret_set && "Not set. Gatehouse cannot see refunds.",
          ],
        ]}
      />
      {stripe !== null && <StripeDetails stripe={stripe} />}
      {mayChange && (
        <div className="flex flex-wrap gap-2">
          {stripe !== null && (
            <Button disabled={test.isPending} onClick={() => test.mutate()}>
              Test the connection
            </Button>
          )}
          <Confirm
            label="Disconnect"
            title="Disconnect the payment provider?"
            yes="Disconnect"
            danger
            onYes={() => remove.mutateAsync()}
          >
            <p>
              Agents can no longer buy. Existing authorizations stay with your provider, and
              Gatehouse keeps track of them.
            </p>
          </Confirm>
        </div>
      )}
      {test.isError && <Failure error={test.error} />}
      {test.data !== undefined && <Notice>The connection works.</Notice>}
    </>
  );
}

/** What else is missing. The gates are listed with their own advice. */
function otherAdvice({ gates, missing }: Processor): readonly string[] {
  return missing
    .filter((obstacle) => gates.every(({ name }) => name !== obstacle.name))
    .map(({ name, advice }) => adviceFor(name, advice));
}

const readyText = ({ live, offered }: Processor) =>
  live
    ? `Yes. ${buyingText(offered)}`
    : `Yes, for test purchases. ${buyingText(offered)} No real money moves. To go live, choose Stripe below, enter the keys of your live account, and confirm that it pays out to you.`;

/** The payment provider, and what is missing before agents can buy. */
export function PaymentsPart() {
  const { path } = useSite();
  const mayChange = useMay("owner");
  const processor = useQuery(processorQuery(path));
  if (processor.isError) return <Failure error={processor.error} />;
  if (!processor.isSuccess) return <Loading />;
  const { data } = processor;
  return (
    <div className="grid items-start gap-4 xl:grid-cols-2">
      <Card title="Ready to sell?">
        <p className="text-sm">
          {data.missing.length === 0
            ? readyText(data)
            : ["Not yet.", ...otherAdvice(data)].join(" ")}
        </p>
        <Gates processor={data} />
      </Card>
      {data.kind !== null && (
        <Card title="Connected">
          <ConnectedProvider saved={data} />
        </Card>
      )}
      {mayChange && (
        <Card title={data.kind === null ? "Connect a payment provider" : "Change the connection"}>
          <p className="text-sm text-soft">
            Gatehouse asks your payment provider to authorize payments and never receives money.
            Keys are stored encrypted and are not shown again.{" "}
            <a
              href="/docs/guide/stripe.md#connect-a-test-account"
              target="_blank"
              rel="noreferrer"
              className="link"
            >
              Where to find your Stripe keys
            </a>
          </p>
          <ProcessorForm saved={data} />
        </Card>
      )}
    </div>
  );
}
