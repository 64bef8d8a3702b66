import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useCallback, useEffect, useState } from "react";
import { useSave } from "../api/save.js";
import { useMay, useSite } from "../layout/sites.js";
import { Checks } from "../proof/checks.js";
import { RecordProof } from "../proof/record-proof.js";
import { ReviewCard } from "../reviews/review-card.js";
import { reviewQuery } from "../reviews/reviews.js";
import { Button } from "../ui/button.js";
import { Snippet } from "../ui/id.js";
import { Failure, Notice } from "../ui/notice.js";
import { Card } from "../ui/page.js";
import { Verified } from "../ui/verified.js";
import { plainWord } from "../ui/words.js";
import { deletePurchase, type KeptPurchase, keepPurchase, keptPurchase } from "./kept.js";
import type { Answered } from "./test-agent.js";
import { TestResult, useDeclinedBy } from "./test-result.js";

/** Loads the code of the agent only when it is needed. */
const agent = () => import("./test-agent.js");

const RESULTS: Readonly<Record<string, string>> = {
  approved: "The test purchase is approved and the payment is authorized.",
  escalated: "The test purchase needs review. Decide here or under Reviews:",
  review_denied: "A reviewer declined the test purchase. The agent received the reason.",
  agent_revoked: "The test purchase was decided.",
  policy_denied: "Your rules declined the test purchase. The agent received the reason.",
};

/** The review of the test purchase, which can be decided here or under Reviews. */
function PendingReview({ id, onDecided }: { readonly id: string; onDecided(): void }) {
  const { site, name } = useSite();
  const mayDecide = useMay("reviewer");
  const review = useQuery(reviewQuery(site.site_key_hash, id));
  const status = review.data?.status;
  useEffect(() => {
    // Decided on another page: the agent asks for the result.
    if (status !== undefined && status !== "pending") onDecided();
  }, [status, onDecided]);
  if (review.data === undefined || status !== "pending") {
    return <Notice>The agent asks for the result…</Notice>;
  }
  return (
    <>
      <ReviewCard review={review.data} mayDecide={mayDecide} onDecided={onDecided} />
      <Link to="/$site/reviews" params={{ site: name }} target="_blank" className="link text-sm">
        Open Reviews
      </Link>
    </>
  );
}

function Answer({ answer }: { readonly answer: Answered }) {
  const { body, receipt } = answer;
  const { record_id } = body;
  return (
    <div className="flex flex-col gap-4">
      <details className="text-sm">
        <summary className="text-soft">Answer to the agent, with a signed receipt</summary>
        <div className="mt-2">
          <Snippet label="answer" text={JSON.stringify(body, null, 2)} />
        </div>
      </details>
      <Verified
        checks={receipt}
        yes="The receipt is signed and verified."
        no="The receipt could not be verified."
      />
      <details className="text-sm">
        <summary className="text-soft">Show checks of the receipt</summary>
        <div className="mt-2">
          <Checks checks={receipt} />
        </div>
      </details>
      {typeof record_id === "string" && (
        <>
          <p className="text-sm text-soft">
            The decision is in your audit log. You can check its record:
          </p>
          <RecordProof key={record_id} recordId={record_id} />
        </>
      )}
    </div>
  );
}

/** The reason tells who declined: the rules, a reviewer or the payment provider. */
function outcomeOf({ body, outcome }: Answered): string {
  return typeof body.reason === "string" ? body.reason : outcome;
}

/** The service ends a test within seconds. If that was before this page asked, the decision tells the outcome. */
const isEnded = (outcome: string | undefined) => outcome === "agent_revoked";

/** A test purchase that was started, with its current result. The service ends it when it is decided. */
function Purchase({ kept, onAgain }: { readonly kept: KeptPurchase; onAgain(): void }) {
  const { site } = useSite();
  const answer = useQuery({
    queryKey: ["purchase", site.site_key_hash, kept.mandate],
    queryFn: async () => (await agent()).ask(kept),
    // An answer that was given stays: later ones say that the agent is revoked.
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { refetch } = answer;
  const askAgain = useCallback(() => void refetch(), [refetch]);
  const outcome = answer.data === undefined ? undefined : outcomeOf(answer.data);
  const waits = outcome === "escalated";
  const isOver = outcome !== undefined && !waits;
  const isDenied = outcome === "review_denied";
  const declined = useDeclinedBy(kept.agentId, isDenied || isEnded(outcome));
  useEffect(() => {
    if (isOver) deletePurchase(site.site_key_hash);
  }, [isOver, site.site_key_hash]);
  if (answer.isError) return <Failure error={answer.error} />;
  if (!answer.isSuccess || outcome === undefined)
    return <Notice>The agent sends its request…</Notice>;
  const { body } = answer.data;
  const isFailure = !Object.hasOwn(RESULTS, outcome);
  const result = declined ?? RESULTS[outcome] ?? `The test purchase failed: ${plainWord(outcome)}.`;
  return (
    <div className="flex flex-col gap-4">
      <Notice bad={isFailure}>{result}</Notice>
      {waits && <PendingReview id={String(body.escalation_id)} onDecided={askAgain} />}
      {!isEnded(outcome) && <Answer key={outcome} answer={answer.data} />}
      {isOver && (
        <TestResult
          agentId={kept.agentId}
          isBought={declined === undefined && (isEnded(outcome) || outcome === "approved")}
          onAgain={onAgain}
        />
      )}
    </div>
  );
}

/** The test agent buys something, and every step is shown. */
export function TestPurchase({ ready }: { readonly ready: string | null }) {
  const { site, path } = useSite();
  const [kept, setKept] = useState(() => keptPurchase(site.site_key_hash));
  const start = useSave(
    async () => (await agent()).prepare(site, path),
    "agents",
    "skills",
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
    <Card title="Test purchase">
      {kept === null ? (
        <>
          <p className="text-sm text-soft">
            A test agent buys one test item in your shop, as a real agent does. If your rules have a
            limit, the item costs twice the limit, so the purchase normally needs your review.
            Otherwise it costs €10. The agent pays with a test card: no money moves.
          </p>
          <p className="text-sm text-soft">
            Nobody else can see or buy the item. The test turns on the action “Place an order” and
            signed requests. If they were off, they are off again when the test is over.
          </p>
          {ready !== null && <Notice>{ready}</Notice>}
          <Button
            kind="act"
            className="self-start"
            disabled={start.isPending || ready !== null}
            onClick={begin}
          >
            {start.isPending ? "Starting…" : "Start test purchase"}
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
