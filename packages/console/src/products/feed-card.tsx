import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Api, call, Refused } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useSite } from "../layout/sites.js";
import { Button } from "../ui/button.js";
import { Confirm } from "../ui/confirm.js";
import { Select, TextField } from "../ui/field.js";
import { Form } from "../ui/form.js";
import { Failure } from "../ui/notice.js";
import { Card } from "../ui/page.js";
import { FeedResult } from "./feed-result.js";

type Feed = Api["ProductFeed"];

const EVERY = { "1": "Every hour", "6": "Every 6 hours", "24": "Once a day" } as const;

/** The address and the schedule. */
function FeedForm({ feed, onSaved }: { readonly feed: Feed | null; onSaved(): void }) {
  const { path } = useSite();
  const [url, setUrl] = useState(feed?.url ?? "");
  const [every, setEvery] = useState(String(feed?.every_hours ?? 24));
  const [currency, setCurrency] = useState(feed?.currency ?? "");
  const save = useSave(
    () =>
      call("PUT", `${path}/product-feed`, {
        url: url.trim(),
        every_hours: Number(every),
        currency: currency.trim() === "" ? null : currency.trim().toUpperCase(),
      }),
    "product-feed",
  );
  return (
    <Form
      onSubmit={() => save.mutate(undefined, { onSuccess: onSaved })}
      className="flex max-w-prose flex-col gap-3"
    >
      <TextField
        label="Address of the feed"
        type="url"
        required
        placeholder="https://shop.example.com/products.xml"
        hint="A Google feed (XML or TSV), Shopify's products.json, or JSON lines."
        value={url}
        onChange={({ target }) => setUrl(target.value)}
      />
      <Select label="Fetch it" choices={EVERY} value={every} onChoose={setEvery} />
      <TextField
        label="Currency"
        maxLength={3}
        placeholder="EUR"
        hint="Only for feeds whose prices do not name it, such as Shopify's."
        value={currency}
        onChange={({ target }) => setCurrency(target.value)}
      />
      <div>
        <Button type="submit" kind="act" disabled={save.isPending}>
          Save feed
        </Button>
      </div>
      {save.isError && <Failure error={save.error} />}
    </Form>
  );
}

function FeedActions({ feed }: { readonly feed: Feed }) {
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
  const found = useQuery({
    queryKey: ["product-feed", path],
    queryFn: () =>
      call<Feed>("GET", `${path}/product-feed`).catch((error: unknown) => {
        if (error instanceof Refused && error.status === 404) return null;
        throw error;
      }),
  });
  if (found.isPending) return null;
  const feed = found.data ?? null;
  return (
    <Card
      title="Product feed"
      actions={
        feed !== null && !isEditing && <Button onClick={() => setEditing(true)}>Edit</Button>
      }
    >
      {found.isError && <Failure error={found.error} />}
      <p className="max-w-prose text-sm text-soft">
        Read your products from your shop system. What the feed no longer lists is paused, and
        removed after 30 days.
      </p>
      {feed === null || isEditing ? (
        <FeedForm feed={feed} onSaved={() => setEditing(false)} />
      ) : (
        <>
          <FeedResult feed={feed} />
          <FeedActions feed={feed} />
        </>
      )}
    </Card>
  );
}
