import { Link } from "@tanstack/react-router";
import { Button } from "./button.js";
import { Empty, Page } from "./page.js";

/** Shown instead of a list whose filter matches nothing. */
export function NothingFound({ title }: { readonly title: string }) {
  return (
    <Empty
      title={title}
      action={
        <Link to="." search={{}} className="button-act">
          Clear the filter
        </Link>
      }
    >
      <p>Nothing matches the filter above.</p>
    </Empty>
  );
}

/** Shown for an address without a page. */
export function NotFound() {
  return (
    <Page title="Page not found">
      <Empty
        title="There is nothing at this address"
        action={
          <Link to="/" className="button-act">
            Go to Home
          </Link>
        }
      >
        <p>The link may be old or incomplete. The search finds pages, orders and agents.</p>
      </Empty>
    </Page>
  );
}

/** What a page shows that fails while it is drawn. The frame around it stays. */
export function Broken() {
  return (
    <Page title="This page could not be shown">
      <Empty
        title="Something went wrong"
        action={<Button onClick={() => location.reload()}>Reload</Button>}
      >
        <p>If it still fails, tell your operator.</p>
      </Empty>
    </Page>
  );
}
