import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { FlaskConical } from "lucide-react";
import { useState } from "react";
import { processorQuery } from "../settings/processor.js";
import { Dialog } from "../ui/dialog.js";
import { type Site, useMay } from "./sites.js";

/** A switch that is on. It asks what to do before it goes off. */
function Switch({ onPress }: { onPress(): void }) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked
      aria-label="Test mode"
      onClick={onPress}
      className="flex h-6 w-11 items-center justify-end rounded-full border-2 border-card p-0.5"
    >
      <span aria-hidden className="block size-4 rounded-full bg-card" />
    </button>
  );
}

/** A bar across every page while payments are not real, with the switch that ends this. */
export function TestMode({ site, name }: { readonly site: Site; readonly name: string }) {
  const mayChange = useMay("owner");
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  const { data } = useQuery(processorQuery(`/v1/admin/sites/${site.site_key_hash}`));
  if (data === undefined || data.kind === null || data.live) return null;
  return (
    <aside
      aria-label="Test mode"
      className="sticky top-0 z-20 flex flex-wrap items-center justify-center gap-x-3 bg-test px-4 py-2 text-sm text-card print:hidden"
    >
      <FlaskConical aria-hidden size={18} className="shrink-0" />
      <strong className="font-semibold">Test mode</strong>
      <span>No real payments</span>
      {mayChange && <Switch onPress={() => setOpen(true)} />}
      <Dialog open={open} title="Turn test mode off?" onClose={close}>
        <div className="flex flex-col gap-4 text-sm">
          <p>
            Connect Stripe with a live key. From then on, agents pay with real money. Your test
            orders stay in the list, marked as tests.
          </p>
          <p className="flex justify-end">
            <Link
              to="/$site/settings/$part"
              params={{ site: name, part: "payments" }}
              className="button-act"
              onClick={close}
            >
              Go to Payments
            </Link>
          </p>
        </div>
      </Dialog>
    </aside>
  );
}
