import { Link, useRouterState } from "@tanstack/react-router";
import { useSite } from "../layout/sites.js";

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** Set for pages that were opened from the setup. */
    fromSetup?: boolean;
  }
}

/** The way back, on a page that was opened from the setup. */
export function BackToSetup() {
  const { name } = useSite();
  const fromSetup = useRouterState({ select: ({ location }) => location.state.fromSetup === true });
  if (!fromSetup) return null;
  return (
    <p className="mb-4 text-sm">
      <Link to="/$site" params={{ site: name }} className="link">
        ← Back to the setup
      </Link>
    </p>
  );
}
