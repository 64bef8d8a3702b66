import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { Asker } from "../agents/names.js";
import { useSite } from "../layout/sites.js";
import { RecordProof } from "../proof/record-proof.js";
import { sameDecision } from "../proof/same-decision.js";
import { Badge } from "../ui/badge.js";
import { Fold } from "../ui/fold.js";
import { Id, Snippet } from "../ui/id.js";
import { LoadingPage } from "../ui/loading.js";
import { Failure } from "../ui/notice.js";
import { Card, Facts, FoldCard, Page } from "../ui/page.js";
import { skillTitle } from "../ui/skill-title.js";
import { Time } from "../ui/time.js";
import { moneyText, titleOf } from "../ui/words.js";
import { FactsCard, Reasons, Rules } from "./because.js";
import { decisionQuery, type Explained, OUTCOMES } from "./decisions.js";
import { RuleTitle } from "./rule-title.js";
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
                [
                  "Rule",
                  decision.rule_id === null ? (
                    "No rule matched"
                  ) : (
                    <RuleTitle key="rule" version={decision.policy_version} id={decision.rule_id} />
                  ),
                ],
                ["Reason", decision.reason && titleOf(decision.reason)],
                ["Requested by", <Asker key="who" id={decision.agent_id} />],
                ["Signed", signedBy(decision)],
                ["Protocol", titleOf(decision.protocol)],
                ["When", <Time key="when" at={decision.evaluated_at} />],
              ]}
            />
            <Reasons codes={decision.reason_codes} />
            <Fold>
              <Facts
                rows={[
                  ["Key ID", signature && <Id key="key" value={signature.key_id} label="key ID" />],
                  [
                    "Request digest (SHA-256)",
                    signature && <Id key="digest" value={signature.digest} label="digest" />,
                  ],
                  ["Decision ID", <Id key="id" value={decision.decision_id} label="decision ID" />],
                  [
                    "Request ID",
                    <Id key="request" value={decision.mandate_id} label="request ID" />,
                  ],
                  ["Caller", <Id key="caller" value={decision.agent_id} label="caller" />],
                ]}
              />
            </Fold>
          </Card>
          {decision.payment !== null && <Payment payment={decision.payment} />}
          <Proofs decision={decision} />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <Rules decision={decision} />
          <FactsCard facts={decision.facts} />
          {Object.keys(decision.answer.body).length > 0 && (
            <FoldCard title={`Answer to the agent (${decision.answer.status})`}>
              <Snippet label="answer" text={JSON.stringify(decision.answer.body, null, 2)} />
            </FoldCard>
          )}
        </div>
      </div>
    </Page>
  );
}
