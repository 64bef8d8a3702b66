import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { ChevronsUpDown } from "lucide-react";
import { useState } from "react";
import { Mark } from "../ui/mark.js";
import { Picker } from "../ui/picker.js";
import { type Site, siteParam, sitesQuery } from "./sites.js";

function SiteName({ site }: { readonly site: Site | undefined }) {
  if (site === undefined) return <span className="flex-1 font-semibold">Choose a site</span>;
  return (
    <span className="min-w-0 flex-1">
      <span className="block truncate font-semibold">{site.name}</span>
      <span className="block truncate text-xs text-soft">{site.domain}</span>
    </span>
  );
}

/** The mark and the current site. With several sites it leads to the others. */
export function SiteSwitcher({ current }: { readonly current: Site | undefined }) {
  const navigate = useNavigate();
  const { data: sites = [] } = useQuery(sitesQuery);
  const [open, setOpen] = useState(false);
  const [words, setWords] = useState("");
  const look = "flex min-w-0 items-center gap-3 rounded-lg p-2 text-left text-sm hover:bg-line/40";
  if (sites.length === 0) {
    return (
      <Link to="/" className={look}>
        <Mark />
        <span className="font-semibold">Gatehouse</span>
      </Link>
    );
  }
  const wanted = words.trim().toLowerCase();
  const matching = sites.filter(({ name, domain }) =>
    `${name} ${domain}`.toLowerCase().includes(wanted),
  );
  const options = matching.map((site) => ({
    key: site.site_key_hash,
    label: site.name,
    note: site.status === "pending" ? `${site.domain} (not verified)` : site.domain,
    onChoose: () => void navigate({ to: "/$site", params: { site: siteParam(site, sites) } }),
  }));
  const all = { key: "all", label: "All sites", onChoose: () => void navigate({ to: "/sites" }) };
  function close() {
    setOpen(false);
    setWords("");
  }
  return (
    <>
      <button type="button" className={look} onClick={() => setOpen(true)}>
        <Mark />
        <span className="sr-only">Site: </span>
        <SiteName site={current} />
        <ChevronsUpDown aria-hidden size={16} className="shrink-0 text-soft" />
      </button>
      <Picker
        title="Choose a site"
        placeholder="Name or domain"
        empty="No site has this name."
        groups={[
          { title: "Sites", options },
          { title: "More", options: wanted === "" ? [all] : [] },
        ]}
        open={open}
        words={words}
        onWords={setWords}
        onClose={close}
      />
    </>
  );
}
