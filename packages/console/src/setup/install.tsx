import { useSite } from "../layout/sites.js";
import { Snippet } from "../ui/id.js";
import { Card } from "../ui/page.js";
import { scriptTag } from "../visits/script-tag.js";
import { InstallCheck } from "./install-check.js";

/** How often the site is checked. */
const LOOK_MS = 10_000;
/** What shows that the website is connected. The documents are checked under What agents see. */
const ITEMS = ["script", "edge"];

/** The script, and whether a visit was reported. */
export function Install() {
  const { site } = useSite();
  return (
    <div className="flex flex-col gap-4">
      <Card title="Paste the script into your pages">
        <p className="text-sm text-soft">
          The script reports visits and adds links for agents. You need nothing else for this step.
          For a trial, you can skip the step. To serve the documents from your own domain as well,
          see the{" "}
          <a href="/docs/guide/install.md" className="link">
            install guide
          </a>
          .
        </p>
        <Snippet label="script tag" text={scriptTag(site)} />
      </Card>
      <Card title="Status">
        <InstallCheck everyMs={LOOK_MS} only={ITEMS} />
      </Card>
    </div>
  );
}
