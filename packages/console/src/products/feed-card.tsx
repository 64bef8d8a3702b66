import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Api, call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useSite } from "../layout/sites.js";
import { productSourceQuery } from "../settings/shop-connection.js";
import { Button } from "../ui/button.js";
import { Confirm } from "../ui/confirm.js";
import { CurrencyField } from "../ui/currency-field.js";
import { useDraft } from "../ui/draft.js";
import { Select, TextField } from "../ui/field.js";
import { Form } from "../ui/form.js";
import { Failure } from "../ui/notice.js";
import { FoldCard } from "../ui/page.js";
import { FeedResult } from "./feed-result.js";

type Feed = Api["ProductFeed"];

const EVERY = { "1": "Every hour", "6": "Every 6 hours", "24": "Once a day" } as const;

/** The address and the schedule. */
function FeedForm({ feed, onSaved }: { readonly feed: Feed | null; onSaved(): void }) {
  const { path } = useSite();
  const draft = useDraft(
    {
      url: feed?.url ?? "",
      every: String(feed?.every_hours ?? 24),
      currency: feed?.currency ?? "",
    },
    { keep: "feed" },
  );
  const { url, every, currency } = draft.value;
  const save = useSave(
    () =>
      call("PUT", `${path}/product-feed`, {
        url: url.trim(),
        every_hours: Number(every),
        currency: currency === "" ? null : currency,
      }),
    "product-feed",
  );
  return (
    <Form
      of={save}
      done="Feed saved."
      onSubmit={() => {
        const saved = () => {
          draft.saved(draft.value);
          onSaved();
        };
        save.mutate(undefined, { onSuccess: saved });
      }}
      className="flex max-w-prose flex-col gap-3"
    >
      <TextField
        label="Address of the feed"
        name="url"
        type="url"
        required
        placeholder="https://shop.example.com/products.xml"
        hint="A Google feed (XML or TSV), Shopify's products.json, or JSON lines."
        value={url}
        onChange={({ target }) => draft.set({ url: target.value })}
      />
      <Select
        label="Fetch it"
        choices={EVERY}
        value={every}
        onChoose={(hours) => draft.set({ every: hours })}
      />
      <CurrencyField
        name="currency"
        none="Named in the feed"
        hint="Only for feeds whose prices do not name it, such as Shopify's."
        value={currency}
        onChoose={(code) => draft.set({ currency: code })}
      />
      <div>
        <Button type="submit" disabled={save.isPending}>
          Save feed
        </Button>
      </div>
    </Form>
  );
}

function FeedActions({ feed, onEdit }: { readonly feed: Feed; onEdit(): void }) {
  const { path } = useSite();
  const topics = ["product-feed", "products", "processor"];
  const fetching = useSave(
    (accept_fewer: boolean) => call("POST", `${path}/product-feed/fetch`, { accept_fewer }),
    ...topics,
  );
  const remove = useSave(() => call("DELETE", `${path}/product-feed`), ...topics);
  const isShrunk = feed.last_result?.outcome === "not_applied" && feed.last_result.listed > 0;
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <Button disabled={fetching.isPending} onClick={() => fetching.mutate(false)}>
          {fetching.isPending ? "Fetching…" : "Fetch now"}
        </Button>
        <Button onClick={onEdit}>Edit</Button>
        {isShrunk && (
          <Confirm
            label="Apply anyway"
            title="Apply a feed with fewer products?"
            yes="Apply"
            onYes={() => fetching.mutateAsync(true)}
          >
            <p>
              Products that the feed does not list are paused. They come back when it lists them.
            </p>
          </Confirm>
        )}
        <Confirm
          label="Remove feed"
          title="Stop reading this feed?"
          yes="Remove"
          danger
          onYes={() => remove.mutateAsync()}
        >
          <p>Your products stay as they are.</p>
        </Confirm>
      </div>
      {fetching.isError && <Failure error={fetching.error} />}
    </>
  );
}

/** The feed that products come from: its settings, and what the last fetch came to. */
export function FeedCard() {
  const { path } = useSite();
  const [isEditing, setEditing] = useState(false);
  const query = useQuery({
    queryKey: ["product-feed", path],
    queryFn: async ({ client }) => {
      const { product_feed } = await client.fetchQuery(productSourceQuery(path));
      return product_feed ? call<Feed>("GET", `${path}/product-feed`) : null;
    },
  });
  if (query.isPending) return null;
  const feed = query.data ?? null;
  return (
    <FoldCard title="Product feed" open={feed !== null}>
      {query.isError && <Failure error={query.error} />}
      <p className="max-w-prose text-sm text-soft">
        Read your products from your shop system. What the feed no longer lists is paused, and
        removed after 30 days.
      </p>
      {feed === null || isEditing ? (
        <FeedForm feed={feed} onSaved={() => setEditing(false)} />
      ) : (
        <>
          <FeedResult feed={feed} />
          <FeedActions feed={feed} onEdit={() => setEditing(true)} />
        </>
      )}
    </FoldCard>
  );
}
