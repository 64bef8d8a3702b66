import { useQuery } from "@tanstack/react-query";
import { type Api, call } from "../api/client.js";
import { useSite } from "../layout/sites.js";
import { Badge } from "../ui/badge.js";
import { Snippet } from "../ui/id.js";
import { Failure, Notice } from "../ui/notice.js";
import { Card } from "../ui/page.js";
import { scriptTag } from "../visits/script-tag.js";
import { SignatureCheck } from "./documents.js";
import { VerifyDomain } from "./verify-domain.js";

/** How often the site is looked at while its owner installs. */
const LOOK_MS = 10_000;
const LOOKS = { good: "good", missing: "plain", wrong: "bad" } as const;
const WORDS = { good: "found", missing: "not yet", wrong: "wrong" } as const;

/** Looks at the site again and again: each item turns green when it is there. */
function Checker() {
  const { site, path } = useSite();
  const looked = useQuery({
    queryKey: ["install", path, site.status],
    queryFn: () => call<Api["InstallCheck"]>("POST", `${path}/install-check`, {}),
    refetchInterval: LOOK_MS,
  });
  // Looked at too often it is refused for a while: what was found before stands.
  if (looked.isError && looked.data === undefined) return <Failure error={looked.error} />;
  if (looked.data === undefined) return <Notice>Looking at your site…</Notice>;
  return (
    <ul className="flex flex-col gap-2 text-sm" aria-live="polite">
      {looked.data.items.map(({ item, state, found, advice }, place, items) => (
        <li key={item} data-item={item} className="flex flex-col gap-0.5">
          <span className="flex flex-wrap items-center gap-2">
            <Badge word={WORDS[state]} look={LOOKS[state]} />
            <strong className="font-medium">{item}</strong>
            <span className="break-words text-soft">{found}</span>
          </span>
          {/* The same advice for one thing after another is read once. */}
          {state !== "good" && advice !== undefined && items[place + 1]?.advice !== advice && (
            <span className="break-words pl-2 text-soft">{advice}</span>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Proof of the domain, the script, and what is there of it. */
export function Install() {
  const { site } = useSite();
  return (
    <div className="flex flex-col gap-4">
      {site.status !== "verified" && <VerifyDomain />}
      {site.status === "verified" && <SignatureCheck />}
      <Card title="Paste the script into your pages">
        <p className="text-sm text-soft">
          It tells who visits and adds links for agents. A worker or the Node plugin does more: it
          serves the documents on your own domain. The{" "}
          <a href="/docs/guide/install.md" className="link">
            install guide
          </a>{" "}
          shows each. None of it is needed to go on.
        </p>
        <Snippet label="script tag" text={scriptTag(site)} />
      </Card>
      <Card title="What is there">
        <Checker />
      </Card>
    </div>
  );
}
