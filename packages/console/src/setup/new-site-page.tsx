import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { type Site, siteParam, sitesQuery } from "../layout/sites.js";
import { Button } from "../ui/button.js";
import { TextField } from "../ui/field.js";
import { Form } from "../ui/form.js";
import { Failure } from "../ui/notice.js";
import { Card, Page } from "../ui/page.js";

/** The first page of the setup: the domain and the name of the site. */
export function NewSitePage() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [domain, setDomain] = useState("");
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const create = useSave(async () => {
    const about = description.trim() === "" ? {} : { description: description.trim() };
    // People paste the address of a page. Only the domain counts.
    const bare = domain
      .trim()
      .replace(/^https?:\/\//i, "")
      .replace(/\/.*$/, "");
    const asked = { domain: bare, name: name.trim(), ...about };
    return call<Site>("POST", "/v1/admin/sites", asked);
  });
  function submit() {
    create.mutate(undefined, {
      onSuccess: async (site) => {
        await client.invalidateQueries({ queryKey: sitesQuery.queryKey });
        const sites = await client.fetchQuery(sitesQuery);
        const params = { site: siteParam(site, sites) };
        await navigate({ to: "/$site/setup", params, search: { step: "documents" } });
      },
    });
  }
  return (
    <Page
      title="Set up your site"
      about="In a few minutes, agents can find your shop and buy by your rules. You can stop at any time and continue later."
    >
      <Card title="Your site">
        <Form onSubmit={submit} className="flex max-w-lg flex-col gap-3">
          <TextField
            label="Domain"
            required
            placeholder="shop.example.com"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={253}
            value={domain}
            onChange={({ target }) => setDomain(target.value)}
          />
          <TextField
            label="Name"
            required
            placeholder="Fern & Petal"
            maxLength={120}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
          <TextField
            label="Description (optional)"
            hint="What you offer, in one sentence."
            maxLength={500}
            value={description}
            onChange={({ target }) => setDescription(target.value)}
          />
          <Button type="submit" kind="act" className="self-start" disabled={create.isPending}>
            Continue
          </Button>
          {create.isError && <Failure error={create.error} />}
        </Form>
      </Card>
    </Page>
  );
}
