import { useState } from "react";
import { call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { type Site, useSite } from "../layout/sites.js";
import { Button } from "../ui/button.js";
import { Checkbox, Select } from "../ui/field.js";
import { Form } from "../ui/form.js";
import { Id } from "../ui/id.js";
import { Outcome } from "../ui/outcome.js";
import { Card } from "../ui/page.js";

type Format = Site["published_feeds"]["formats"][number];

const CONDITIONS = { new: "New", refurbished: "Refurbished", used: "Used" } as const;

const FEEDS: readonly { readonly name: Format; readonly label: string; readonly hint: string }[] = [
  {
    name: "google",
    label: "Google feed",
    hint: "XML, for Google Merchant Center and many others.",
  },
  { name: "acp", label: "ACP feed", hint: "JSON lines, for assistants that use ACP." },
];

/** The product feeds that anybody can read. */
export function PublishCard({ site }: { readonly site: Site }) {
  const { path } = useSite();
  const { formats, condition } = site.published_feeds;
  const [chosen, setChosen] = useState<readonly Format[]>(formats);
  const [state, setState] = useState<string>(condition);
  const save = useSave(
    () => call("PATCH", path, { published_feeds: { formats: chosen, condition: state } }),
    "sites",
  );
  const urls = { google: site.google_feed_url, acp: site.acp_feed_url };
  return (
    <Card title="Publish feeds">
      <p className="max-w-prose text-sm text-soft">
        Give services that read files a list of your products. Anybody can read a published feed.
      </p>
      <Form onSubmit={() => save.mutate()} className="flex max-w-prose flex-col gap-3">
        {FEEDS.map(({ name, label, hint }) => (
          <div key={name} className="flex flex-col gap-1">
            <Checkbox
              {...{ label, hint }}
              checked={chosen.includes(name)}
              onChange={({ target }) =>
                setChosen([
                  ...chosen.filter((one) => one !== name),
                  ...(target.checked ? [name] : []),
                ])
              }
            />
            {formats.includes(name) && <Id value={urls[name]} label={`address of the ${label}`} />}
          </div>
        ))}
        <Select
          label="Condition of your products"
          choices={CONDITIONS}
          value={state}
          onChoose={setState}
        />
        <div>
          <Button type="submit" kind="act" disabled={save.isPending}>
            Save
          </Button>
        </div>
      </Form>
      <Outcome of={save} />
    </Card>
  );
}
