import { Link } from "@tanstack/react-router";
import { Ellipsis } from "lucide-react";
import { useState } from "react";
import { Dialog } from "../ui/dialog.js";
import { HOME, ORDERS, REVIEWS } from "./navigation.js";
import { PageLinks, ReviewCount } from "./pages.js";
import { Person } from "./person.js";

const LOOK =
  "relative flex flex-1 flex-col items-center gap-0.5 py-2 text-xs text-soft aria-[current=page]:font-semibold aria-[current=page]:text-act";

/** The bar under the thumb on a phone: the three pages of every day, and all others under More. */
export function PhoneBar({ site }: { readonly site: string }) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <nav
        aria-label="Main pages"
        className="fixed inset-x-0 bottom-0 z-30 flex border-t border-line bg-card pb-[env(safe-area-inset-bottom)] md:hidden print:hidden"
      >
        {[HOME, ORDERS, REVIEWS].map((page) => (
          <Link
            key={page.to}
            to={page.to}
            params={{ site }}
            activeOptions={{ exact: page === HOME, includeSearch: false }}
            className={LOOK}
          >
            <page.icon aria-hidden size={20} strokeWidth={1.75} />
            {page.label}
            {page === REVIEWS && (
              <span className="absolute top-0.5 left-[calc(50%+0.5rem)]">
                <ReviewCount site={site} />
              </span>
            )}
          </Link>
        ))}
        <button type="button" className={LOOK} onClick={() => setOpen(true)}>
          <Ellipsis aria-hidden size={20} strokeWidth={1.75} />
          More
        </button>
      </nav>
      <Dialog open={open} title="All pages" place="bottom" onClose={close}>
        <nav aria-label="Pages" className="flex flex-col gap-2">
          <PageLinks site={site} onGo={close} />
          <Person onGo={close} />
        </nav>
      </Dialog>
    </>
  );
}
