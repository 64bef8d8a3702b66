import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { type Api, call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useSite } from "../layout/sites.js";
import { useZone } from "../layout/zone.js";
import { Button } from "../ui/button.js";
import { Confirm } from "../ui/confirm.js";
import { TextField } from "../ui/field.js";
import { Form } from "../ui/form.js";
import { Failure, Notice } from "../ui/notice.js";
import { Card } from "../ui/page.js";
import { saveFile } from "../ui/save-file.js";
import { ShortTime, Time } from "../ui/time.js";
import { fullTime } from "../ui/times.js";
import { countText, moneyText, titleOf } from "../ui/words.js";

type Found = Api["FoundBuyer"];
type Item = Found["items"][number];
type Erasure = Api["BuyerErasure"];

const REASONS: Readonly<Record<NonNullable<Item["needed_for"]>["why"], string>> = {
  payment_open: "the payment is neither captured nor voided",
  not_sent: "items were not sent",
  on_its_way: "items are on their way",
  money_returning: "a refund or dispute is open",
  notifying: "a message is not delivered yet",
  paying: "a payment or review is in progress",
  open: "the buyer can still buy",
};

function neededText({ why, until }: NonNullable<Item["needed_for"]>, zone: string): string {
  const end = until === null ? "" : `, until ${fullTime(until, zone)} at the latest`;
  return `Still needed: ${REASONS[why]}${end}.`;
}

/** What becomes of a purchase: an erasure that was requested needs no second one. */
function stateOf({ needed_for, is_erasing }: Item, zone: string): string {
  const needed = needed_for === null ? null : neededText(needed_for, zone);
  if (is_erasing)
    return needed === null
      ? "Will be erased within an hour."
      : `${needed} Then it is erased within an hour.`;
  return needed ?? "Can be erased.";
}

function ItemLine({ item }: { readonly item: Item }) {
  const { name } = useSite();
  const zone = useZone();
  const number = item.number === null ? "" : `#${item.number}`;
  const title = [titleOf(item.kind), number, moneyText(item.amount)].filter(Boolean).join(" ");
  return (
    <li className="flex flex-wrap justify-between gap-x-4">
      <span>
        {item.kind === "order" ? (
          <Link to="/$site/orders/$id" params={{ site: name, id: item.id }} className="link">
            {title}
          </Link>
        ) : (
          title
        )}
        , <ShortTime at={item.created_at} />
      </span>
      <span className="text-soft">{stateOf(item, zone)}</span>
    </li>
  );
}

function EraseBuyer({
  email,
  items,
  onErased,
}: {
  readonly email: string;
  readonly items: readonly Item[];
  onErased(erasure: Erasure): void;
}) {
  const { path } = useSite();
  const erase = useSave(
    () => call<Erasure>("POST", `${path}/buyers/erase`, { email }),
    "orders",
    "order",
  );
  const needed = items.filter(({ needed_for }) => needed_for !== null).length;
  return (
    <Confirm
      label="Erase"
      title={`Erase the personal data of ${email}?`}
      yes="Erase"
      danger
      onYes={async () => onErased(await erase.mutateAsync())}
    >
      <p>
        <strong>Erased</strong> from {countText(items.length - needed, "purchase")}: name, email
        address, phone number, delivery address, notes and messages.
      </p>
      {needed > 0 && (
        <p>
          <strong>Erased later:</strong> {countText(needed, "purchase is", "purchases are")} still
          needed.
        </p>
      )}
      <p>
        <strong>Kept:</strong> items, amounts, the country and the audit log.
      </p>
      <p>You cannot undo this.</p>
    </Confirm>
  );
}

function erasedText({ erased, kept }: Erasure): string {
  const counts = [
    countText(erased.orders, "order"),
    countText(erased.checkouts, "checkout"),
    countText(erased.carts, "cart"),
  ].join(", ");
  const rest =
    kept.length === 0 ? "" : ` ${countText(kept.length, "purchase")} will be erased later.`;
  return `Erased: ${counts}.${rest}`;
}

const WORDING = { email: "Enter an email address such as name@example.com." };

/** Shows what is stored under an email address, to export or to erase it. */
export function FindBuyer() {
  const { path } = useSite();
  const [email, setEmail] = useState("");
  const find = useSave(async (address: string) => ({
    email: address,
    found: await call<Found>("POST", `${path}/buyers/find`, { email: address }),
  }));
  const download = useSave(async (address: string) => {
    const all = await call<Api["BuyerExport"]>("POST", `${path}/buyers/export`, { email: address });
    saveFile("buyer.json", "application/json", `${JSON.stringify(all, null, 2)}\n`);
  });
  const [erasure, setErasure] = useState<Erasure | null>(null);
  const shown = find.data;
  return (
    <Card title="Find a buyer">
      <Form
        of={find}
        wording={WORDING}
        onSubmit={() => {
          setErasure(null);
          find.mutate(email.trim());
        }}
        className="flex max-w-prose flex-col gap-3"
      >
        <TextField
          label="Email address of the buyer"
          name="email"
          type="email"
          required
          value={email}
          onChange={({ target }) => setEmail(target.value)}
        />
        <div>
          <Button type="submit" kind="act" disabled={find.isPending}>
            Find
          </Button>
        </div>
      </Form>
      {erasure !== null && <Notice>{erasedText(erasure)}</Notice>}
      {shown?.found.items.length === 0 && <Notice>Nothing is stored about {shown.email}.</Notice>}
      {shown !== undefined && shown.found.items.length > 0 && (
        <>
          {shown.found.erasure_requested_at !== null && (
            <p className="text-sm">
              Erasure requested <Time at={shown.found.erasure_requested_at} />.
            </p>
          )}
          <ul aria-label="What is stored" className="flex flex-col gap-2 text-sm">
            {shown.found.items.map((item) => (
              <ItemLine key={item.id} item={item} />
            ))}
          </ul>
          <div className="flex flex-wrap gap-2">
            <Button disabled={download.isPending} onClick={() => download.mutate(shown.email)}>
              Export
            </Button>
            {shown.found.items.some(({ is_erasing }) => !is_erasing) && (
              <EraseBuyer
                email={shown.email}
                items={shown.found.items}
                onErased={(done) => {
                  setErasure(done);
                  find.mutate(shown.email);
                }}
              />
            )}
          </div>
          {download.isError && <Failure error={download.error} />}
        </>
      )}
    </Card>
  );
}
