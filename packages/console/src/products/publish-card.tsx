import { call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { type Site, useSite } from "../layout/sites.js";
import { useDraft } from "../ui/draft.js";
import { Checkbox, Select } from "../ui/field.js";
import { Form } from "../ui/form.js";
import { Id } from "../ui/id.js";
import { FoldCard } from "../ui/page.js";
import { SaveRow } from "../ui/save-row.js";

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
  const draft = useDraft<{ chosen: readonly Format[]; state: string }>({
    chosen: formats,
    state: condition,
  });
  const { chosen, state } = draft.value;
  const save = useSave(
    () => call("PATCH", path, { published_feeds: { formats: chosen, condition: state } }),
    "sites",
  );
  const urls = { google: site.google_feed_url, acp: site.acp_feed_url };
  return (
    <FoldCard title="Publish feeds" open={formats.length > 0}>
      <p className="max-w-prose text-sm text-soft">
        Publish a list of your products for services that read files. Anybody can read a published
        feed.
      </p>
      <Form
        of={save}
        done="Saved."
        onSubmit={() => save.mutate(undefined, { onSuccess: () => draft.saved(draft.value) })}
        className="flex max-w-prose flex-col gap-3"
      >
        {FEEDS.map(({ name, label, hint }) => (
          <div key={name} className="flex flex-col gap-1">
            <Checkbox
              label={label}
              hint={hint}
              checked={chosen.includes(name)}
              onChange={({ target }) =>
                draft.set({
                  chosen: FEEDS.map((feed) => feed.name).filter((one) =>
                    one === name ? target.checked : chosen.includes(one),
                  ),
                })
              }
            />
            {formats.includes(name) && <Id value={urls[name]} label={`address of the ${label}`} />}
          </div>
        ))}
        <Select
          label="Condition of your products"
          choices={CONDITIONS}
          value={state}
          onChoose={(one) => draft.set({ state: one })}
        />
        <SaveRow draft={draft} busy={save.isPending} />
      </Form>
    </FoldCard>
  );
}
