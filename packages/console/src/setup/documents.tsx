import type { Check } from "@gatehouse/protocol";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Api, call } from "../api/client.js";
import { useSite } from "../layout/sites.js";
import { Checks } from "../proof/checks.js";
import { Select } from "../ui/field.js";
import { Id, Snippet } from "../ui/id.js";
import { Loading } from "../ui/loading.js";
import { Failure, Notice } from "../ui/notice.js";
import { Card } from "../ui/page.js";
import { Verified } from "../ui/verified.js";

const NAMES: Readonly<Record<string, string>> = {
  card: "Agent card (A2A)",
  catalog: "Catalog (ARD)",
  llms: "llms.txt",
  page: "Agent page",
  "page-markdown": "Agent page (Markdown)",
  "mcp-tools": "MCP tools",
  "mcp-server-card": "MCP server card",
  did: "DID document",
  acp: "ACP document",
  robots: "Lines for robots.txt",
  head: "Links for the head of your pages",
};

/** Fetches the signed card and catalog like an agent would, and verifies both in the browser. */
function SignatureCheck() {
  const { site } = useSite();
  const verified = site.status === "verified";
  const checked = useQuery({
    queryKey: ["signatures", site.site_key_hash, site.version],
    queryFn: async (): Promise<readonly Check[]> =>
      (await import("./check-documents.js")).checkDocuments(site),
    enabled: verified,
  });
  if (!verified) {
    return (
      <Notice>
        These documents are not public yet. They are published as soon as your domain is verified.
        After that, this page also checks the signatures of the agent card and of the signed part of
        the catalog.
      </Notice>
    );
  }
  if (checked.isError) return <Failure error={checked.error} />;
  if (!checked.isSuccess) return <Notice>Checking the signatures…</Notice>;
  return (
    <div className="flex flex-col gap-2">
      <Verified
        checks={checked.data}
        yes="Your documents are signed and verified."
        no="Your documents could not be verified."
      />
      <details className="text-sm">
        <summary className="text-soft">Show checks</summary>
        <div className="mt-2">
          <Checks checks={checked.data} />
        </div>
      </details>
    </div>
  );
}

/** The documents as agents read them. */
export function Documents() {
  const { site, path } = useSite();
  const [shown, setShown] = useState("card");
  const documents = useQuery({
    queryKey: ["preview", path, site.version],
    queryFn: () => call<{ documents: Api["PreviewedDocument"][] }>("POST", `${path}/preview`, {}),
  });
  if (documents.isError) return <Failure error={documents.error} />;
  if (!documents.isSuccess) return <Loading />;
  const list = documents.data.documents;
  const document = list.find(({ name }) => name === shown);
  return (
    <Card title="Documents">
      <SignatureCheck />
      <Select
        label="Document"
        value={shown}
        choices={Object.fromEntries(list.map(({ name }) => [name, NAMES[name] ?? name]))}
        onChoose={setShown}
      />
      {document !== undefined && (
        <>
          <p className="text-sm">
            <Id value={document.url} label="address" />
          </p>
          <details className="text-sm">
            <summary className="text-soft">Show the document</summary>
            <div className="mt-2">
              <Snippet label="document" text={document.text} />
            </div>
          </details>
        </>
      )}
    </Card>
  );
}
