import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useSite } from "../layout/sites.js";
import { RecordProof } from "../proof/record-proof.js";
import { sameDecision } from "../proof/same-decision.js";
import { Who } from "../reviews/review-card.js";
import { Badge } from "../ui/badge.js";
import { Id, Snippet } from "../ui/id.js";
import { LoadingPage } from "../ui/loading.js";
import { Failure } from "../ui/notice.js";
import { Card, Facts, Page } from "../ui/page.js";
import { skillTitle } from "../ui/skill-title.js";
import { Time } from "../ui/time.js";
import { moneyText, titleOf } from "../ui/words.js";
import { FactsCard, Reasons, Rules } from "./because.js";
import { decisionQuery, type Explained, OUTCOMES } from "./decisions.js";
import { Story } from "./story.js";

function Payment({ payment }: { readonly payment: NonNullable<Explained["payment"]> }) {
  return (
    <Card title="Payment">
      <Facts
        rows={[
          ["Payment provider", titleOf(payment.processor)],
          ["State at the decision", <Badge key="state" word={payment.status} />],
          ["Reason", payment.reason && titleOf(payment.reason)],
          ["Requested", <Time key="asked" at={payment.requested_at} />],
          ["Payment ID", <Id key="id" value={payment.attempt_id} label="payment ID" />],
        ]}
      />
    </Card>
  );
}

/** The records of a decision: what the rules said and, if it differs, the final result. */
function Proofs({ decision }: { readonly decision: Explained }) {
  const { record_id, answer } = decision;
  const answerRecord = answer.body.record_id;
  const last = typeof answerRecord === "string" && answerRecord !== record_id ? answerRecord : null;
  return (
    <Card title="Proof">
      <p className="text-sm text-soft">
        For each record, this page can check the hash, the signature and the position in the log.
      </p>
      <p className="text-sm">
        Record of this decision: <Id value={record_id} label="record ID" />
      </p>
      <RecordProof
        key={record_id}
        recordId={record_id}
        recordCheck={(record) => sameDecision(record, decision)}
      />
      {last !== null && (
        <>
          <p className="text-sm">
            Final result, as sent to the agent: <Id value={last} label="record ID" />
          </p>
          <RecordProof key={last} recordId={last} />
        </>
      )}
    </Card>
  );
}

/** Who signed the request. */
function signedBy({ signature, agent_id }: Explained): string {
  if (signature !== null) return "By the agent";
  return agent_id.startsWith("unsigned ") ? "Not signed" : "By the platform";
}

/** One decision with the reason for it: rules, facts, signature, payment, record and proof. */
export function DecisionPage() {
  const { site, path } = useSite();
  const { id } = useParams({ from: "/shell/$site/decisions/$id" });
  const query = useQuery(decisionQuery(site.site_key_hash, path, id));
  if (query.isError) return <Failure error={query.error} />;
  if (!query.isSuccess) return <LoadingPage />;
  const decision = query.data;
  const { outcome, skill, amount, signature } = decision;
  return (
    <Page title={`${OUTCOMES[outcome]}: ${skillTitle(skill)} ${moneyText(amount)}`.trim()}>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-4">
          <Card title="What happened">
            <Story decision={decision} />
          </Card>
          <Card title="Decision">
            <Facts
              rows={[
                ["Outcome", <Badge key="outcome" word={outcome} />],
                ["Rule", decision.rule_id ?? "No rule matched"],
                ["Reason", decision.reason && titleOf(decision.reason)],
                ["Requested by", <Who key="who" id={decision.agent_id} />],
                ["Signed", signedBy(decision)],
                ["Key ID", signature && <Id key="key" value={signature.key_id} label="key ID" />],
                [
                  "Request digest (SHA-256)",
                  signature && <Id key="digest" value={signature.digest} label="digest" />,
                ],
                ["Protocol", titleOf(decision.protocol)],
                ["When", <Time key="when" at={decision.evaluated_at} />],
                ["Decision ID", <Id key="id" value={decision.decision_id} label="decision ID" />],
                ["Request ID", <Id key="mandate" value={decision.mandate_id} label="request ID" />],
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
            <Card title={`Answer to the agent (${decision.answer.status})`}>
              <Snippet label="answer" text={JSON.stringify(decision.answer.body, null, 2)} />
            </Card>
          )}
        </div>
      </div>
    </Page>
  );
}
