import type { Check } from "@gatehouse/protocol";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Api, call } from "../api/client.js";
import { useSite } from "../layout/sites.js";
import { Checks, Verdict } from "../proof/checks.js";
import { Select } from "../ui/field.js";
import { Id, Snippet } from "../ui/id.js";
import { Failure, Notice } from "../ui/notice.js";
import { Card } from "../ui/page.js";

const NAMES: Readonly<Record<string, string>> = {
  card: "Agent card (A2A)",
  catalog: "Catalog (ARD)",
  llms: "llms.txt",
  page: "Agent page",
  "page-markdown": "Agent page, as Markdown",
  "mcp-tools": "Tools of the MCP server",
  "mcp-server-card": "MCP server card",
  did: "DID document",
  acp: "ACP document",
  robots: "Block for robots.txt",
  head: "Links for your pages",
};

/** Fetches the signed card and catalog as any agent would, and verifies both in this page. */
export function SignatureCheck() {
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
        Nothing here is signed yet. The moment your domain is proven these are signed and public,
        and this page checks their signatures.
      </Notice>
    );
  }
  if (checked.isError) return <Failure error={checked.error} />;
  if (!checked.isSuccess) return <Notice>Checking the signatures…</Notice>;
  return (
    <div className="flex flex-col gap-2">
      <Verdict checks={checked.data} of="What agents get of your site" />
      <details className="text-sm">
        <summary className="text-soft">What was checked</summary>
        <div className="mt-2">
          <Checks checks={checked.data} />
        </div>
      </details>
    </div>
  );
}

/** The documents as agents will read them. */
export function Documents() {
  const { site, path } = useSite();
  const [shown, setShown] = useState("card");
  const documents = useQuery({
    queryKey: ["preview", path, site.version],
    queryFn: () => call<{ documents: Api["PreviewedDocument"][] }>("POST", `${path}/preview`, {}),
  });
  if (documents.isError) return <Failure error={documents.error} />;
  if (!documents.isSuccess) return <Notice>Loading…</Notice>;
  const list = documents.data.documents;
  const document = list.find(({ name }) => name === shown);
  return (
    <Card title="What agents will read">
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
          <Snippet label="document" text={document.text} />
        </>
      )}
    </Card>
  );
}
