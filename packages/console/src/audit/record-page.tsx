import { Link, useParams } from "@tanstack/react-router";
import { useSite } from "../layout/sites.js";
import { RecordProof } from "../proof/record-proof.js";
import { Id } from "../ui/id.js";
import { Card, Page } from "../ui/page.js";

/** One record, and the proof that it is in the log. */
export function RecordPage() {
  const { name } = useSite();
  const { id } = useParams({ from: "/shell/$site/audit/$id" });
  return (
    <Page
      title="Record"
      about="Its hash, its signature and its place in the log, checked by this page itself. That you read it is recorded, too."
    >
      <Card title="Proof">
        <p className="text-sm">
          <Id value={id} label="record id" />
        </p>
        <RecordProof key={id} recordId={id} />
      </Card>
      <Link to="/$site/audit" params={{ site: name }} className="link text-sm">
        The whole log
      </Link>
    </Page>
  );
}
