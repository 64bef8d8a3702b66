import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { FlaskConical } from "lucide-react";
import { processorQuery } from "../settings/processor.js";
import { type Site, useMay } from "./sites.js";

/** A bar across every page while payments are not real. */
export function TestMode({ site, name }: { readonly site: Site; readonly name: string }) {
  const mayChange = useMay("owner");
  const { data } = useQuery(processorQuery(`/v1/admin/sites/${site.site_key_hash}`));
  if (data === undefined || data.kind === null || data.live) return null;
  return (
    <aside
      aria-label="Test mode"
      className="sticky top-0 z-20 flex flex-wrap items-center justify-center gap-x-2 bg-test px-4 py-1.5 text-sm text-card print:hidden"
    >
      <FlaskConical aria-hidden size={16} className="shrink-0" />
      <strong className="font-semibold">Test mode</strong>
      <span>No real payments</span>
      {mayChange && (
        <Link
          to="/$site/settings/$part"
          params={{ site: name, part: "payments" }}
          className="underline underline-offset-2"
        >
          Go live
        </Link>
      )}
    </aside>
  );
}
