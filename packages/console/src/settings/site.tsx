import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { type Site, useMay, useSite } from "../layout/sites.js";
import { VerifyDomain } from "../setup/verify-domain.js";
import { Badge } from "../ui/badge.js";
import { Button } from "../ui/button.js";
import { Confirm } from "../ui/confirm.js";
import { Select, TextField } from "../ui/field.js";
import { Form } from "../ui/form.js";
import { Id, Snippet } from "../ui/id.js";
import { Outcome } from "../ui/outcome.js";
import { Card, Facts } from "../ui/page.js";
import { Time } from "../ui/time.js";
import { scriptTag } from "../visits/script-tag.js";

const PUBLIC = {
  full: "Anybody can ask for checkpoints and proofs",
  hourly: "Anybody, an hour late",
  owner: "Nobody but you",
} as const;

function SiteForm({ site }: { readonly site: Site }) {
  const { path } = useSite();
  const mayChange = useMay("owner");
  const [name, setName] = useState(site.name);
  const [description, setDescription] = useState(site.description);
  const [audit, setAudit] = useState<string>(site.audit_public);
  const save = useSave(
    () => call("PATCH", path, { name, description, audit_public: audit }),
    "sites",
  );
  return (
    <Card title="What agents read">
      <Form onSubmit={() => save.mutate()}>
        <fieldset disabled={!mayChange} className="flex flex-col gap-3">
          <legend className="sr-only">What agents read</legend>
          <TextField
            label="Name"
            required
            maxLength={120}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
          <TextField
            label="Description"
            maxLength={500}
            value={description}
            onChange={({ target }) => setDescription(target.value)}
          />
          <Select
            label="Who may see how far the audit log is"
            value={audit}
            choices={PUBLIC}
            hint="Never what it holds; only how many records there are, and that one is in it."
            onChoose={setAudit}
          />
          <Button type="submit" className="self-start" disabled={save.isPending}>
            Save
          </Button>
        </fieldset>
      </Form>
      <Outcome of={save} />
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
        Its documents are gone at once and its key is never given out again. The audit log stays.
      </p>
      <div>
        <Confirm
          label="Delete…"
          title={`Delete ${site.domain}?`}
          yes="Delete it for good"
          danger
          onYes={async () => {
            if (typed !== site.domain) throw new Error(`Write ${site.domain} to delete it.`);
            await remove.mutateAsync();
            await navigate({ to: "/sites" });
            await saveList.mutateAsync();
          }}
        >
          <p>That cannot be undone. Write its domain to go on:</p>
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

/** Name, domain and addresses of the site. */
export function SitePart() {
  const { site, name } = useSite();
  const operator = useMay("operator");
  const owner = useMay("owner");
  const { verification } = site;
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <SiteForm key={site.site_key_hash} site={site} />
      <Card title="Addresses">
        <Facts
          rows={[
            ["Domain", site.domain],
            ["State", <Badge key="state" word={site.status} />],
            [
              "Verified",
              verification.verified_at && <Time key="at" at={verification.verified_at} />,
            ],
            ["By", verification.method],
            ["Site key", <Id key="key" value={site.site_key} label="site key" />],
            ["Key hash", <Id key="hash" value={site.site_key_hash} label="key hash" />],
            ["Agent page", <Id key="page" value={site.agent_page_url} label="agent page" />],
            ["MCP", <Id key="mcp" value={site.mcp_url} label="MCP address" />],
          ]}
        />
        <Link to="/$site/setup" params={{ site: name }} className="link text-sm">
          The set-up, step by step
        </Link>
        <p className="text-sm font-medium">Script for your pages</p>
        <Snippet label="script tag" text={scriptTag(site)} />
      </Card>
      {owner && site.status !== "verified" && <VerifyDomain />}
      {operator && <DeleteSite site={site} />}
    </div>
  );
}
