import { CallerTabs } from "../layout/pages.js";
import { InstallCheck } from "../setup/install-check.js";
import { Card, Page } from "../ui/page.js";
import { AskBox } from "./ask-box.js";
import { Documents } from "./documents.js";
import { PublicPage } from "./public-page.js";

/** The shop from outside: its public page, its answers and its documents. */
export function AgentsSeePage() {
  return (
    <Page
      title="What agents see"
      tabs={<CallerTabs />}
      purpose="Your shop from outside: your public page, the answers that agents get, and the documents that describe your site."
    >
      <PublicPage />
      <AskBox />
      <Documents />
      <Card title="On your website">
        <InstallCheck />
      </Card>
    </Page>
  );
}
