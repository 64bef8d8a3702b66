import { useQuery } from "@tanstack/react-query";
import { type Api, call } from "../api/client.js";
import { useSite } from "../layout/sites.js";
import { Advice } from "../ui/advice.js";
import { Badge } from "../ui/badge.js";
import { Snippet } from "../ui/id.js";
import { Failure, Notice } from "../ui/notice.js";
import { Card } from "../ui/page.js";
import { scriptTag } from "../visits/script-tag.js";
import { SignatureCheck } from "./documents.js";
import { VerifyDomain } from "./verify-domain.js";

/** How often the site is checked. */
const LOOK_MS = 10_000;
const LOOKS = { good: "good", missing: "plain", wrong: "bad" } as const;
const WORDS = { good: "Found", missing: "Not found yet", wrong: "Problem" } as const;
const ITEMS: Readonly<Record<string, string>> = {
  domain: "Domain",
  script: "Script",
  edge: "Worker or plugin",
  selling: "Selling",
};

/** Checks the site every few seconds. Each item turns green when it is found. */
function Checker() {
  const { site, path } = useSite();
  const looked = useQuery({
    queryKey: ["install", path, site.status],
    queryFn: () => call<Api["InstallCheck"]>("POST", `${path}/install-check`, {}),
    refetchInterval: LOOK_MS,
  });
  // The service limits the number of checks. Keep the last result in the meantime.
  if (looked.isError && looked.data === undefined) return <Failure error={looked.error} />;
  if (looked.data === undefined) return <Notice>Checking your site…</Notice>;
  return (
    <ul className="flex flex-col gap-2 text-sm" aria-live="polite">
      {looked.data.items.map(({ item, state, found, advice }, place, items) => (
        <li key={item} data-item={item} className="flex flex-col gap-0.5">
          <span className="flex flex-wrap items-center gap-2">
            <Badge word={WORDS[state]} look={LOOKS[state]} />
            <strong className="font-medium">{ITEMS[item] ?? item}</strong>
            <span className="break-words text-soft">
              <Advice text={found} />
            </span>
          </span>
          {/* Show the same advice only once. */}
          {state !== "good" && advice !== undefined && items[place + 1]?.advice !== advice && (
            <span className="break-words pl-2 text-soft">
              <Advice text={advice} />
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Verification of the domain, the script, and the state of both. */
export function Install() {
  const { site } = useSite();
  return (
    <div className="flex flex-col gap-4">
      {site.status !== "verified" && <VerifyDomain />}
      {site.status === "verified" && <SignatureCheck />}
      <Card title="Paste the script into your pages">
        <p className="text-sm text-soft">
          The script reports visits and adds links for agents. A worker or the Node plugin also
          serves the documents on your own domain. Both are optional: see the{" "}
          <a href="/docs/guide/install.md" className="link">
            install guide
          </a>
          .
        </p>
        <Snippet label="script tag" text={scriptTag(site)} />
      </Card>
      <Card title="Status">
        <Checker />
      </Card>
    </div>
  );
}
