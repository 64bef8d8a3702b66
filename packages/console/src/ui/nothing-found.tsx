import { Link } from "@tanstack/react-router";
import { Empty } from "./page.js";

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
