import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { type Site, siteParam, sitesQuery } from "../layout/sites.js";
import { Button } from "../ui/button.js";
import { useDraft } from "../ui/draft.js";
import { TextField } from "../ui/field.js";
import { Form } from "../ui/form.js";
import { Card, Page } from "../ui/page.js";

const WORDING = { domain: "Enter a domain such as shop.example.com.", name: "Enter a name." };

/** The first page of the setup: the domain and the name of the site. */
export function NewSitePage() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const draft = useDraft({ domain: "", name: "", description: "" }, { keep: "site" });
  const { domain, name, description } = draft.value;
  const create = useSave(async () => {
    const descriptionMember = description.trim() === "" ? {} : { description: description.trim() };
    // People paste the address of a page. Only the domain counts.
    const bare = domain
      .trim()
      .replace(/^https?:\/\//i, "")
      .replace(/\/.*$/, "");
    const newSite = { domain: bare, name: name.trim(), ...descriptionMember };
    return call<Site>("POST", "/v1/admin/sites", newSite);
  });
  function submit() {
    create.mutate(undefined, {
      onSuccess: async (site) => {
        await client.invalidateQueries({ queryKey: sitesQuery.queryKey });
        draft.discard();
        const sites = await client.fetchQuery(sitesQuery);
        const params = { site: siteParam(site, sites) };
        await navigate({ to: "/$site", params, search: { step: "domain" } });
      },
    });
  }
  return (
    <Page
      title="Set up your site"
      purpose="In a few minutes, agents can find your shop and buy by your rules. You can stop at any time and continue later."
    >
      <Card title="Your site">
        <Form
          of={create}
          wording={WORDING}
          onSubmit={submit}
          className="flex max-w-lg flex-col gap-3"
        >
          <TextField
            label="Domain"
            name="domain"
            required
            placeholder="shop.example.com"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={253}
            value={domain}
            onChange={({ target }) => draft.set({ domain: target.value })}
          />
          <TextField
            label="Name"
            name="name"
            required
            placeholder="Fern & Petal"
            maxLength={120}
            value={name}
            onChange={({ target }) => draft.set({ name: target.value })}
          />
          <TextField
            label="Description (optional)"
            name="description"
            hint="What you offer, in one sentence."
            maxLength={500}
            value={description}
            onChange={({ target }) => draft.set({ description: target.value })}
          />
          <Button type="submit" kind="act" className="self-start" disabled={create.isPending}>
            Continue
          </Button>
        </Form>
      </Card>
    </Page>
  );
}
