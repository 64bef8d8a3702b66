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
      purpose="This page checks the hash, the signature and the position in the log. Reading a record is recorded too."
    >
      <Card title="Proof">
        <p className="text-sm">
          <Id value={id} label="record ID" />
        </p>
        <RecordProof key={id} recordId={id} />
      </Card>
      <Link to="/$site/audit" params={{ site: name }} className="link text-sm">
        Back to the audit log
      </Link>
    </Page>
  );
}
