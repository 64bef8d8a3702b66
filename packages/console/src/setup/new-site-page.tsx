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

/** Where the set-up begins: which site it is about. */
export function NewSitePage() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [domain, setDomain] = useState("");
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const create = useSave(async () => {
    const about = description.trim() === "" ? {} : { description: description.trim() };
    // Whoever pastes an address means its domain.
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
      about="In a few minutes agents will find it, know what it offers, and buy from it by your rules. You can stop anywhere and go on later."
    >
      <Card title="Which site is it?">
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
            label="What it offers, in a sentence (optional)"
            maxLength={500}
            value={description}
            onChange={({ target }) => setDescription(target.value)}
          />
          <Button type="submit" kind="act" className="self-start" disabled={create.isPending}>
            Go on
          </Button>
          {create.isError && <Failure error={create.error} />}
        </Form>
      </Card>
    </Page>
  );
}
