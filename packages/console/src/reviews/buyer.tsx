import { addressLines } from "../orders/address.js";
import { strangersText } from "../ui/words.js";
import { Part } from "./part.js";
import type { Review } from "./reviews.js";

type Texts = Readonly<Record<string, string>>;

/** The values of some fields in one line. Empty if there are none. */
function lineOf(texts: Texts, ...names: readonly string[]): string {
  return names.flatMap((name) => texts[name] || []).join(" ");
}

function Lines({ lines }: { readonly lines: readonly string[] }) {
  return lines
    .filter((line) => line !== "")
    .map((line) => (
      <bdi key={line} className="block break-words">
        {strangersText(line)}
      </bdi>
    ));
}

const nameOf = (texts: Texts) => lineOf(texts, "first_name", "last_name");

/** Who buys, and where the goods go. Only reviewers see them. */
export function Buyer({ review: { purchase } }: { readonly review: Review }) {
  if (purchase === null) return null;
  const { buyer, address, delivery } = purchase;
  const name = nameOf(buyer) || nameOf(address ?? {});
  return (
    <>
      <Part title="Buyer">
        <Lines lines={[name, buyer.email ?? "", buyer.phone_number ?? ""]} />
      </Part>
      {address !== null && (
        <Part title="Where to">
          <Lines lines={addressLines({ address, buyer: {} })} />
          {delivery !== null && <span className="text-sm text-soft">{delivery.title}</span>}
        </Part>
      )}
    </>
  );
}
