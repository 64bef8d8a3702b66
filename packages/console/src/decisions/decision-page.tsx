import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useSite } from "../layout/sites.js";
import { RecordProof } from "../proof/record-proof.js";
import { sameDecision } from "../proof/same-decision.js";
import { Who } from "../reviews/review-card.js";
import { Badge } from "../ui/badge.js";
import { Id, Snippet } from "../ui/id.js";
import { Failure, Notice } from "../ui/notice.js";
import { Card, Facts, Page } from "../ui/page.js";
import { Time } from "../ui/time.js";
import { moneyText, plainWord } from "../ui/words.js";
import { FactsCard, Reasons, Rules } from "./because.js";
import { decisionQuery, type Explained, OUTCOMES } from "./decisions.js";
import { Story } from "./story.js";

function Payment({ payment }: { readonly payment: NonNullable<Explained["payment"]> }) {
  return (
    <Card title="Payment">
      <Facts
        rows={[
          ["Processor", payment.processor],
          ["State", <Badge key="state" word={payment.status} />],
          ["Because", payment.reason && plainWord(payment.reason)],
          ["Asked", <Time key="asked" at={payment.requested_at} />],
          ["Attempt", <Id key="id" value={payment.attempt_id} label="attempt id" />],
        ]}
      />
    </Card>
  );
}

/** Every record the decision has: what the rules said, and what came of it where that is another. */
function Proofs({ decision }: { readonly decision: Explained }) {
  const { record_id, answer } = decision;
  const told = answer.body.record_id;
  const last = typeof told === "string" && told !== record_id ? told : null;
  return (
    <Card title="Proof">
      <p className="text-sm text-soft">
        This page can check the hash, the signature and the place in the log of each record by
        itself.
      </p>
      <p className="text-sm">
        What the rules said: <Id value={record_id} label="record id" />
      </p>
      <RecordProof
        key={record_id}
        recordId={record_id}
        about={(record) => sameDecision(record, decision)}
      />
      {last !== null && (
        <>
          <p className="text-sm">
            What came of it, as the agent was told: <Id value={last} label="record id" />
          </p>
          <RecordProof key={last} recordId={last} />
        </>
      )}
    </Card>
  );
}

/** Whose signature stands behind it; nobody's is said so. */
function signedBy({ signature, agent_id }: Explained): string {
  if (signature !== null) return "by the agent";
  return agent_id.startsWith("unsigned ") ? "by nobody" : "by the platform, over its request";
}

/** One decision and its whole because: rules, facts, signature, payment, record and proof. */
export function DecisionPage() {
  const { site, path } = useSite();
  const { id } = useParams({ from: "/shell/$site/decisions/$id" });
  const found = useQuery(decisionQuery(site.site_key_hash, path, id));
  if (found.isError) return <Failure error={found.error} />;
  if (!found.isSuccess) return <Notice>Loading…</Notice>;
  const decision = found.data;
  const { outcome, skill, amount, signature } = decision;
  return (
    <Page title={`${OUTCOMES[outcome]}: ${skill} ${moneyText(amount)}`.trim()}>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-4">
          <Card title="How it came to that">
            <Story decision={decision} />
          </Card>
          <Card title="Decision">
            <Facts
              rows={[
                ["Outcome", <Badge key="outcome" word={outcome} />],
                ["Rule", decision.rule_id ?? "the default of the policy"],
                ["Because", decision.reason && plainWord(decision.reason)],
                ["Who", <Who key="who" id={decision.agent_id} />],
                ["Signed", signedBy(decision)],
                ["Key", signature && <Id key="key" value={signature.key_id} label="key id" />],
                [
                  "Digest",
                  signature && <Id key="digest" value={signature.digest} label="digest" />,
                ],
                ["By", decision.protocol],
                ["When", <Time key="when" at={decision.evaluated_at} />],
                ["Decision", <Id key="id" value={decision.decision_id} label="decision id" />],
                ["Mandate", <Id key="mandate" value={decision.mandate_id} label="mandate id" />],
              ]}
            />
            <Reasons codes={decision.reason_codes} />
          </Card>
          {decision.payment !== null && <Payment payment={decision.payment} />}
          <Proofs decision={decision} />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <Rules decision={decision} />
          <FactsCard facts={decision.facts} />
          {Object.keys(decision.answer.body).length > 0 && (
            <Card title={`What the agent was told (${decision.answer.status})`}>
              <Snippet label="answer" text={JSON.stringify(decision.answer.body, null, 2)} />
            </Card>
          )}
        </div>
      </div>
    </Page>
  );
}
