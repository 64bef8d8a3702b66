import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useCallback, useEffect, useState } from "react";
import { useSave } from "../api/save.js";
import { useMay, useSite } from "../layout/sites.js";
import { Checks, Verdict } from "../proof/checks.js";
import { RecordProof } from "../proof/record-proof.js";
import { ReviewCard } from "../reviews/review-card.js";
import { reviewQuery } from "../reviews/reviews.js";
import { Button } from "../ui/button.js";
import { Snippet } from "../ui/id.js";
import { Failure, Notice } from "../ui/notice.js";
import { Card } from "../ui/page.js";
import { plainWord } from "../ui/words.js";
import { forgetPurchase, type KeptPurchase, keepPurchase, keptPurchase } from "./kept.js";
import type { Answered } from "./test-agent.js";

/** The agent's own code and its cryptography are loaded by whoever starts it. */
const agent = () => import("./test-agent.js");

const TOLD: Readonly<Record<string, string>> = {
  approved: "The agent has bought it: approved, and authorized by the sandbox.",
  escalated: "Your rules leave this to a person. It waits in Reviews, and here:",
  policy_denied: "Your rules refused it, and the agent was told why.",
  review_denied: "You denied it, and the agent was told so.",
};

/** What waits for a person: decided here, or on the page Reviews. */
function Waiting({ id, onDecided }: { readonly id: string; onDecided(): void }) {
  const { site, name } = useSite();
  const mayDecide = useMay("reviewer");
  const review = useQuery(reviewQuery(site.site_key_hash, id));
  const status = review.data?.status;
  useEffect(() => {
    // Decided elsewhere: the agent asks what became of it.
    if (status !== undefined && status !== "pending") onDecided();
  }, [status, onDecided]);
  if (review.data === undefined || status !== "pending") {
    return <Notice>The agent asks what became of it…</Notice>;
  }
  return (
    <>
      <ReviewCard review={review.data} mayDecide={mayDecide} onDecided={onDecided} />
      <Link to="/$site/reviews" params={{ site: name }} target="_blank" className="link text-sm">
        See it in Reviews
      </Link>
    </>
  );
}

function Told({ answer }: { readonly answer: Answered }) {
  const { body, receipt } = answer;
  const { record_id } = body;
  return (
    <div className="flex flex-col gap-4">
      <details className="text-sm">
        <summary className="text-soft">What the agent was told, with a signed receipt</summary>
        <div className="mt-2">
          <Snippet label="answer" text={JSON.stringify(body, null, 2)} />
        </div>
      </details>
      <Verdict checks={receipt} of="The receipt" />
      <details className="text-sm">
        <summary className="text-soft">What was checked of the receipt</summary>
        <div className="mt-2">
          <Checks checks={receipt} />
        </div>
      </details>
      {typeof record_id === "string" && (
        <>
          <p className="text-sm text-soft">
            The decision is in your audit log. Check its record and its place in the log:
          </p>
          <RecordProof key={record_id} recordId={record_id} />
        </>
      )}
    </div>
  );
}

/** A purchase that was begun: what the agent is told, as often as it asks. */
function Purchase({ kept, onAgain }: { readonly kept: KeptPurchase; onAgain(): void }) {
  const { site, path, name } = useSite();
  const answer = useQuery({
    queryKey: ["purchase", site.site_key_hash, kept.mandate],
    queryFn: async () => (await agent()).ask(kept),
  });
  const finish = useSave(
    async () => {
      await (await agent()).clear(path, kept.agentId);
      forgetPurchase(site.site_key_hash);
    },
    "agents",
    "orders",
    "decisions",
    "products",
  );
  const { refetch } = answer;
  const askAgain = useCallback(() => void refetch(), [refetch]);
  if (answer.isError) return <Failure error={answer.error} />;
  if (!answer.isSuccess) return <Notice>The agent asks…</Notice>;
  const { body } = answer.data;
  // Whose no it is, is in the reason: the rules', a person's, or the processor's.
  const outcome = typeof body.reason === "string" ? body.reason : answer.data.outcome;
  const waits = outcome === "escalated" && typeof body.escalation_id === "string";
  return (
    <div className="flex flex-col gap-4">
      <Notice bad={!Object.hasOwn(TOLD, outcome)}>
        {TOLD[outcome] ?? `The agent was told: ${plainWord(outcome)}.`}
      </Notice>
      {waits && <Waiting id={String(body.escalation_id)} onDecided={askAgain} />}
      <Told key={outcome} answer={answer.data} />
      {!waits && (
        <div className="flex flex-wrap gap-2">
          {!finish.isSuccess && (
            <Button kind="act" disabled={finish.isPending} onClick={() => finish.mutate()}>
              Done: revoke the test agent
            </Button>
          )}
          <Button
            disabled={finish.isPending}
            onClick={() =>
              finish.isSuccess ? onAgain() : finish.mutate(undefined, { onSuccess: onAgain })
            }
          >
            Buy once more
          </Button>
        </div>
      )}
      {finish.isError && <Failure error={finish.error} />}
      {finish.isSuccess && (
        <Notice>
          Your site is set up.{" "}
          <Link
            to="/$site/decisions"
            params={{ site: name }}
            search={{ agent_id: kept.agentId }}
            className="link"
          >
            Look at the decision
          </Link>{" "}
          <Link to="/$site" params={{ site: name }} className="link">
            Go to the overview
          </Link>
        </Notice>
      )}
    </div>
  );
}

/** The built-in test agent buys something, and everything of it can be seen. */
export function TestPurchase({ ready }: { readonly ready: string | null }) {
  const { site, path } = useSite();
  const [kept, setKept] = useState(() => keptPurchase(site.site_key_hash));
  const start = useSave(
    async () => (await agent()).prepare(site, path),
    "agents",
    "skills",
    "products",
    "mandates",
  );
  const begin = () =>
    start.mutate(undefined, {
      onSuccess: (purchase) => {
        keepPurchase(site.site_key_hash, purchase);
        setKept(purchase);
      },
    });
  return (
    <Card title="A test agent buys something">
      {kept === null ? (
        <>
          <p className="text-sm text-soft">
            A real agent runs in this page. It verifies your signed card, gets a key of its own,
            asks your MCP server for a price, signs a mandate and sends it. It buys one “test item”,
            which is added to your products at twice the limit of your policy, so that a rule which
            asks a person does; it pays with a test card of the sandbox. The skill place_order and
            mandates are switched on for it.
          </p>
          {ready !== null && <Notice>{ready}</Notice>}
          <Button
            kind="act"
            className="self-start"
            disabled={start.isPending || ready !== null}
            onClick={begin}
          >
            {start.isPending ? "The agent is on its way…" : "Let it buy"}
          </Button>
          {start.isError && <Failure error={start.error} />}
        </>
      ) : (
        <Purchase
          key={kept.mandate}
          kept={kept}
          onAgain={() => {
            setKept(null);
            begin();
          }}
        />
      )}
    </Card>
  );
}
