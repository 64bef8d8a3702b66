import { useQuery } from "@tanstack/react-query";
import { type Api, call } from "../api/client.js";
import { useSite } from "../layout/sites.js";
import { Checks } from "../proof/checks.js";
import { Badge } from "../ui/badge.js";
import { Button } from "../ui/button.js";
import { Id, Snippet } from "../ui/id.js";
import { Loading } from "../ui/loading.js";
import { Failure, Notice } from "../ui/notice.js";
import { Card } from "../ui/page.js";
import { Ago } from "../ui/time.js";
import type { CheckedDocument, PublishedDocument } from "./check-documents.js";

const NAMES: Readonly<Record<string, string>> = {
  card: "Agent card (A2A)",
  catalog: "Catalog (ARD)",
  llms: "llms.txt",
  page: "Agent page",
  "page-markdown": "Agent page (Markdown)",
  "agents-md": "agents.md",
  "mcp-tools": "MCP tools",
  "mcp-server-card": "MCP server card",
  did: "DID document",
  acp: "ACP document",
  robots: "Lines for robots.txt",
  head: "Links for the head of your pages",
};

const STATES = {
  verified: ["Signed and verified", "good"],
  published: ["Published", "good"],
  problem: ["Problem", "bad"],
  pending: ["Not public yet", "plain"],
} as const;

interface RowProps {
  readonly document: PublishedDocument;
  readonly checked: CheckedDocument | undefined;
  readonly at: number;
}

/** One document: its state, when it was checked, and on demand where it is and what it says. */
function Row({ document: { name, url, text }, checked, at }: RowProps) {
  const [word, look] = STATES[checked?.state ?? "pending"];
  const checks = checked?.checks ?? [];
  return (
    <li data-document={name} className="border-line py-2 not-first:border-t">
      <details open={checked?.state === "problem"}>
        <summary>
          <span className="inline-flex w-[calc(100%-1.25rem)] flex-wrap items-center gap-x-3 gap-y-1 pl-1 align-middle">
            <span className="min-w-0 flex-1 basis-48 font-medium">{NAMES[name] ?? name}</span>
            <Badge word={word} look={look} />
            {checked !== undefined && (
              <span className="text-xs text-soft sm:w-40 sm:text-right">
                Checked <Ago at={at} />
              </span>
            )}
          </span>
        </summary>
        <div className="mt-2 flex flex-col gap-2">
          {checks.length > 0 && <Checks checks={checks} />}
          <p>
            <Id value={url} label="address" />
          </p>
          <Snippet label="document" text={text} />
        </div>
      </details>
    </li>
  );
}

/** Every document as agents get it now, with the time of the check. */
export function Documents() {
  const { site, path } = useSite();
  const isPublic = site.status === "verified";
  const preview = useQuery({
    queryKey: ["preview", path, site.version],
    queryFn: () => call<{ documents: Api["PreviewedDocument"][] }>("POST", `${path}/preview`, {}),
  });
  const documents = preview.data?.documents;
  const checked = useQuery({
    queryKey: ["documents", site.site_key_hash, site.version],
    queryFn: async () =>
      (await import("./check-documents.js")).checkDocuments(site, documents ?? []),
    enabled: isPublic && documents !== undefined,
  });
  if (preview.isError) return <Failure error={preview.error} />;
  if (documents === undefined || (isPublic && checked.isPending)) return <Loading lines={4} />;
  return (
    <Card
      title="Documents"
      actions={
        isPublic && (
          <Button disabled={checked.isFetching} onClick={() => void checked.refetch()}>
            Check documents again
          </Button>
        )
      }
    >
      {isPublic ? (
        <p className="text-sm text-soft">
          Your browser loads each document as an agent does, and verifies the signed ones.
        </p>
      ) : (
        <Notice>
          These documents are not public yet. They are published as soon as your domain is verified.
        </Notice>
      )}
      {checked.isError && <Failure error={checked.error} />}
      <ul aria-label="Documents" className="text-sm">
        {documents.map((document) => (
          <Row
            key={document.name}
            document={document}
            checked={checked.data?.get(document.name)}
            at={checked.dataUpdatedAt}
          />
        ))}
      </ul>
    </Card>
  );
}
