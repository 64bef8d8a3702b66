import { type Api, call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useMay, useSite } from "../layout/sites.js";
import { Button } from "../ui/button.js";
import { Failure, Notice } from "../ui/notice.js";
import { Card, Facts } from "../ui/page.js";
import { Picture } from "../ui/picture.js";
import { moneyText, titleOf } from "../ui/words.js";

type Product = Api["Product"];

/** Says that products are managed in the shop system, and leads there. */
export function FromShop({
  system,
  product,
}: {
  readonly system: string;
  readonly product?: Product;
}) {
  const { site } = useSite();
  const mayPause = useMay("owner");
  const [what, it] = product ? ["This product comes", "it"] : ["Your products come", "them"];
  return (
    <Notice>
      {what} from {system}. Change {it} in your shop.{" "}
      {mayPause && `Here you can only pause ${it}. `}
      <a
        href={product?.url ?? `https://${site.domain}/`}
        target="_blank"
        rel="noreferrer"
        className="link"
      >
        Open your shop
      </a>
    </Notice>
  );
}

/** A product that the shop system decides, and whether agents can buy it. */
export function ShopProduct({
  product,
  system,
}: {
  readonly product: Product;
  readonly system: string;
}) {
  const { path } = useSite();
  const mayChange = useMay("owner");
  const { id, paused, price, quantity, availability, description, image_url } = product;
  const pause = useSave(
    () => call("PATCH", `${path}/products?id=${encodeURIComponent(id)}`, { paused: !paused }),
    "products",
    "processor",
  );
  return (
    <>
      <FromShop system={system} product={product} />
      <Card>
        <Picture url={image_url} className="size-24" />
        <Facts
          rows={[
            ["State", paused && "Paused. Agents cannot find or buy it."],
            ["Price", moneyText(price)],
            ["Stock", quantity ?? "Not tracked"],
            ["Availability", titleOf(availability)],
            ["Description", description],
            ["Product number", id],
          ]}
        />
        {mayChange && (
          <div>
            <Button disabled={pause.isPending} onClick={() => pause.mutate()}>
              {paused ? "Resume" : "Pause"}
            </Button>
          </div>
        )}
        {pause.isError && <Failure error={pause.error} />}
      </Card>
    </>
  );
}
