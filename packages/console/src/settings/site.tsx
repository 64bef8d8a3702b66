import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { type Site, siteState, UNCHECKED, useMay, useSite } from "../layout/sites.js";
import { VerifyDomain } from "../setup/verify-domain.js";
import { Badge } from "../ui/badge.js";
import { Confirm } from "../ui/confirm.js";
import { useDraft } from "../ui/draft.js";
import { Select, TextField } from "../ui/field.js";
import { Fold } from "../ui/fold.js";
import { Form } from "../ui/form.js";
import { Id, Snippet } from "../ui/id.js";
import { Card, Facts } from "../ui/page.js";
import { SaveRow } from "../ui/save-row.js";
import { Time } from "../ui/time.js";
import { scriptTag } from "../visits/script-tag.js";
import { RegionCard } from "./region.js";
import { PictureCard } from "./site-picture.js";

const METHODS: Readonly<Record<string, string>> = {
  dns: "DNS record",
  file: "File on the site",
  meta: "Tag in the home page",
  operator: UNCHECKED,
};

const PUBLIC = {
  full: "Everybody",
  hourly: "Everybody, updated once an hour",
  owner: "Only people and tokens of this site",
} as const;

function SiteForm({ site }: { readonly site: Site }) {
  const { path } = useSite();
  const mayChange = useMay("owner");
  const draft = useDraft<{ name: string; description: string; audit: string }>(
    {
      name: site.name,
      description: site.description,
      audit: site.audit_public,
    },
    { keep: "site" },
  );
  const { name, description, audit } = draft.value;
  const save = useSave(
    () => call("PATCH", path, { name, description, audit_public: audit }),
    "sites",
  );
  return (
    <Card title="Name and description">
      <Form
        of={save}
        done="Saved."
        onSubmit={() => save.mutate(undefined, { onSuccess: () => draft.saved(draft.value) })}
      >
        <fieldset disabled={!mayChange} className="flex flex-col gap-3">
          <legend className="sr-only">Name and description</legend>
          <TextField
            label="Name"
            name="name"
            required
            maxLength={120}
            value={name}
            onChange={({ target }) => draft.set({ name: target.value })}
          />
          <TextField
            label="Description"
            name="description"
            maxLength={500}
            value={description}
            onChange={({ target }) => draft.set({ description: target.value })}
          />
          <Select
            label="Who can see the audit log's checkpoints"
            value={audit}
            choices={PUBLIC}
            hint="Checkpoints show how many records there are. They never show what the records say."
            onChoose={(one) => draft.set({ audit: one })}
          />
          <SaveRow draft={draft} busy={save.isPending} />
        </fieldset>
      </Form>
    </Card>
  );
}

function DeleteSite({ site }: { readonly site: Site }) {
  const { path } = useSite();
  const navigate = useNavigate();
  const [typed, setTyped] = useState("");
  const remove = useSave(() => call("DELETE", path));
  const saveList = useSave(async () => undefined, "sites");
  return (
    <Card title="Delete the site">
      <p className="text-sm text-soft">
        Agents can no longer find the site, and its site key is never used again. The audit log is
        kept.
      </p>
      <div>
        <Confirm
          label="Delete…"
          title={`Delete ${site.domain}?`}
          yes="Delete permanently"
          danger
          onYes={async () => {
            if (typed !== site.domain) throw new Error(`Enter ${site.domain} to delete the site.`);
            await remove.mutateAsync();
            await navigate({ to: "/sites" });
            await saveList.mutateAsync();
          }}
        >
          <p>You cannot undo this. To continue, enter the domain:</p>
          <TextField
            label={`Domain (${site.domain})`}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        </Confirm>
      </div>
    </Card>
  );
}

function ChangeDomain() {
  const { path } = useSite();
  const navigate = useNavigate();
  const [domain, setDomain] = useState("");
  const change = useSave(() => call<Site>("PATCH", path, { domain }));
  const saveList = useSave(async () => undefined, "sites");
  return (
    <Confirm
      label="Change the domain…"
      title="Change the domain?"
      yes="Change the domain"
      danger
      onYes={async () => {
        const { site_key_hash: site } = await change.mutateAsync();
        await saveList.mutateAsync();
        await navigate({ to: "/$site", params: { site }, search: { step: "domain" } });
      }}
    >
      <p>Agents cannot find your site or buy until you have verified the new domain.</p>
      <TextField
        label="New domain"
        value={domain}
        onChange={({ target }) => setDomain(target.value)}
      />
    </Confirm>
  );
}

/** Name, domain and addresses of the site. */
export function SitePart() {
  const { site, name } = useSite();
  const operator = useMay("operator");
  const owner = useMay("owner");
  const { verification } = site;
  return (
    <div className="grid items-start gap-4 xl:grid-cols-2">
      <SiteForm key={site.site_key_hash} site={site} />
      <Card title="Domain and addresses">
        <Facts
          rows={[
            ["Domain", site.domain],
            ["State", <Badge key="state" word={siteState(site)} />],
            [
              "Verified",
              verification.verified_at && <Time key="at" at={verification.verified_at} />,
            ],
            ["Verified by", verification.method && METHODS[verification.method]],
          ]}
        />
        <Link
          to="/$site"
          params={{ site: name }}
          search={{ step: "domain" }}
          className="link text-sm"
        >
          Open the setup
        </Link>
        {owner && <ChangeDomain />}
        <Fold>
          <Facts
            rows={[
              ["Agent page", <Id key="page" value={site.agent_page_url} label="agent page" />],
              ["MCP", <Id key="mcp" value={site.mcp_url} label="MCP address" />],
              ["Site key", <Id key="key" value={site.site_key} label="site key" />],
              ["Site key hash", <Id key="hash" value={site.site_key_hash} label="key hash" />],
            ]}
          />
          <p className="font-medium">Script for your pages</p>
          <Snippet label="script tag" text={scriptTag(site)} />
        </Fold>
      </Card>
      <PictureCard key={site.site_key_hash} site={site} />
      <RegionCard />
      {owner && site.status !== "verified" && <VerifyDomain />}
      {operator && <DeleteSite site={site} />}
    </div>
  );
}
