import { CallerTabs } from "../layout/pages.js";
import { useMay, useSite } from "../layout/sites.js";
import { Documents } from "../setup/documents.js";
import { InstallCheck } from "../setup/install-check.js";
import { Notice } from "../ui/notice.js";
import { Card, Page } from "../ui/page.js";
import { AskBox } from "./ask-box.js";

/** The shop from outside: its public page, its answers and its documents. */
export function AgentsSeePage() {
  const { site } = useSite();
  const owner = useMay("owner");
  const publicPage = (
    <a href={site.agent_page_url} target="_blank" rel="noreferrer" className="button-act">
      Open the public page
    </a>
  );
  return (
    <Page
      title="What agents see"
      tabs={<CallerTabs />}
      purpose="Your shop from outside: the answers that agents get, and the documents that describe your site."
      actions={site.status === "verified" ? publicPage : undefined}
    >
      <AskBox />
      <Card title="On your website">
        {owner ? (
          <InstallCheck />
        ) : (
          <Notice>
            Only owners can check the website, because each check sends requests to it.
          </Notice>
        )}
      </Card>
      <Documents />
    </Page>
  );
}
