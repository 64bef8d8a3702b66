import { Link } from "@tanstack/react-router";
import { useSite } from "../layout/sites.js";
import { Card, Empty } from "../ui/page.js";

/**
 * The page that everybody sees, in place. It is the real one, from the address below this very service: without
 * scripts, forms or a session.
 */
export function PublicPage() {
  const { site, name } = useSite();
  if (site.status !== "verified") {
    return (
      <Empty
        title="Your public page is not published yet"
        action={
          <Link to="/$site" params={{ site: name }} search={{ step: "domain" }} className="link">
            Verify your domain
          </Link>
        }
      >
        <p>Here you will see the page that agents and people find, with your products first.</p>
      </Empty>
    );
  }
  return (
    <Card
      title="Your public page"
      actions={
        <a href={site.agent_page_url} target="_blank" rel="noreferrer" className="button-plain">
          Open the public page
        </a>
      }
    >
      <iframe
        title="Your public page"
        src={new URL(site.agent_page_url).pathname}
        sandbox=""
        className="h-96 w-full rounded-lg border border-line"
      />
    </Card>
  );
}
