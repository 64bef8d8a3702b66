import { formatAmount } from "@gatehouse/protocol";
import { useNavigate } from "@tanstack/react-router";
import { type Api, call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { OwnersFields } from "../layout/owners-only.js";
import { useSite } from "../layout/sites.js";
import { Button } from "../ui/button.js";
import { Confirm } from "../ui/confirm.js";
import { CurrencyField } from "../ui/currency-field.js";
import { useDraft } from "../ui/draft.js";
import { Checkbox, Select, TextArea, TextField } from "../ui/field.js";
import { Fold } from "../ui/fold.js";
import { Form } from "../ui/form.js";
import { Card } from "../ui/page.js";
import { HTTPS } from "../ui/problems.js";
import { Time } from "../ui/time.js";
import { notify } from "../ui/toast.js";
import { idFrom, typedAmount } from "../ui/words.js";
import { PictureField } from "./picture-field.js";
import { saveProduct } from "./save-product.js";

type Product = Api["Product"];

const AVAILABILITIES = {
  in_stock: "In stock",
  out_of_stock: "Out of stock",
  preorder: "Preorder",
  backorder: "Backorder",
} as const;

/** What helps agents to recognize a product. */
const MORE = {
  brand: "Brand",
  gtin: "GTIN (EAN, UPC or ISBN)",
  mpn: "MPN (manufacturer’s number)",
  sku: "SKU",
  category: "Category, such as Garden > Flowers",
} as const;
const MORE_NAMES = Object.keys(MORE) as (keyof typeof MORE)[];

const WORDING = {
  title: "Enter a name.",
  price: "Enter a price such as 12.50.",
  sale_price: "Enter an amount below the price.",
  quantity: "Enter a whole number, 0 or more.",
  image_url: HTTPS,
  url: HTTPS,
  gtin: "Enter the 8, 12, 13 or 14 digits under the barcode.",
} as const;

/** The fields of the form as typed. */
function draftOf(product: Product | undefined, currency: string) {
  return {
    id: product?.id ?? "",
    title: product?.title ?? "",
    description: product?.description ?? "",
    price: product === undefined ? "" : formatAmount(product.regular_price),
    sale_price: product?.sale_price ? formatAmount(product.sale_price) : "",
    currency: product?.price.currency ?? currency,
    image_url: product?.image_url ?? "",
    url: product?.url ?? "",
    availability: product?.availability ?? "in_stock",
    quantity: product?.quantity?.toString() ?? "",
    paused: product?.paused ?? false,
    brand: product?.brand ?? "",
    gtin: product?.gtin ?? "",
    mpn: product?.mpn ?? "",
    sku: product?.sku ?? "",
    category: product?.category ?? "",
    identifier_exists: product?.identifier_exists ?? null,
  };
}

type Draft = ReturnType<typeof draftOf>;

/** After a sale has ended, a new sale price begins another one, without the times of the first. */
function saleTimes(typed: string, product: Product | undefined) {
  const { sale_price: before, sale_until: until } = product ?? {};
  if (!before || !until || Date.parse(until) > Date.now() || typed === formatAmount(before)) return;
  return { sale_from: null, sale_until: null };
}

function bodyOf({ id, quantity, image_url, url, price, sale_price, description, ...draft }: Draft) {
  return {
    ...draft,
    price: typedAmount(price, draft.currency),
    sale_price: typedAmount(sale_price, draft.currency) || null,
    image_url: image_url.trim() || null,
    url: url.trim() || null,
    quantity: quantity.trim() === "" ? null : Number(quantity),
    ...(description.trim() === "" ? {} : { description }),
  };
}

interface FieldsProps {
  readonly product: Product | undefined;
  readonly draft: Draft;
  readonly file: File | null;
  set(change: Partial<Draft>): void;
  onFile(file: File | null): void;
}

/** When a sale begins and ends, if it does. */
function SaleTimes({ sale_from, sale_until }: Partial<Product>) {
  return (
    <>
      Leave it empty if there is no sale.
      {sale_from && (
        <>
          {" "}
          The sale begins: <Time at={sale_from} />.
        </>
      )}
      {sale_until && (
        <>
          {" "}
          The sale ends: <Time at={sale_until} />.
        </>
      )}
    </>
  );
}

function Fields({ product, draft, file, set, onFile }: FieldsProps) {
  const field = (
    name: "title" | "price" | "sale_price" | "url" | "quantity" | keyof typeof MORE,
  ) => ({
    name,
    value: draft[name],
    onChange: ({ target }: { target: { value: string } }) => set({ [name]: target.value }),
  });
  return (
    <>
      <TextField label="Name" required maxLength={200} {...field("title")} />
      <TextArea
        label="Description"
        hint="Agents use it to answer buyers' questions."
        name="description"
        rows={3}
        maxLength={5000}
        value={draft.description}
        onChange={({ target }) => set({ description: target.value })}
      />
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField label="Price" required inputMode="decimal" {...field("price")} />
        <CurrencyField
          name="currency"
          value={draft.currency}
          onChoose={(code) => set({ currency: code })}
        />
        <TextField
          label="Sale price"
          hint={<SaleTimes {...product} />}
          inputMode="decimal"
          {...field("sale_price")}
        />
        <TextField
          label="Stock"
          hint="Leave it empty if you do not track stock."
          type="number"
          min={0}
          {...field("quantity")}
        />
        <Select
          label="Availability"
          name="availability"
          value={draft.availability}
          choices={AVAILABILITIES}
          onChoose={(availability) => set({ availability } as Partial<Draft>)}
        />
      </div>
      <PictureField
        url={draft.image_url}
        file={file}
        onUrl={(image_url) => set({ image_url })}
        onFile={onFile}
      />
      <TextField
        label="Page in your shop"
        type="url"
        hint="The https:// address of the product page."
        {...field("url")}
      />
      <Fold label="More about this product">
        {MORE_NAMES.map((name) => (
          <TextField key={name} label={MORE[name]} {...field(name)} />
        ))}
        <Checkbox
          label="This product has no GTIN or MPN"
          hint="For example, because it is handmade. Your Google feed then says so."
          checked={draft.identifier_exists === false}
          onChange={({ target }) => set({ identifier_exists: target.checked ? false : null })}
        />
      </Fold>
      <Checkbox
        label="Pause this product"
        hint="Agents cannot find or buy it until you resume it."
        checked={draft.paused}
        onChange={({ target }) => set({ paused: target.checked })}
      />
    </>
  );
}

/** Adds or changes a product. */
export function ProductForm({
  product,
  currency,
}: {
  readonly product?: Product | undefined;
  readonly currency: string;
}) {
  const { path, name } = useSite();
  const navigate = useNavigate();
  const { value: draft, set, saved } = useDraft(draftOf(product, currency), { keep: "product" });
  const { value: picture, ...choosing } = useDraft<{ file: File | null }>({ file: null });
  const back = () => navigate({ to: "/$site/products", params: { site: name }, state: true });
  const save = useSave(async () => {
    const isNew = product === undefined;
    const id = draft.id || idFrom(draft.title);
    const newId = isNew ? id : undefined;
    const fields = { ...bodyOf(draft), ...saleTimes(draft.sale_price, product) };
    const problem = await saveProduct({ path, newId, id, fields, ...picture });
    saved(draft);
    choosing.saved(picture);
    if (problem === undefined) {
      notify(isNew ? "Product added." : "Saved.");
      return back();
    }
    notify(`The product is added without its picture. ${problem}`);
    return navigate({ to: "/$site/products/$id", params: { site: name, id }, state: true });
  }, "products");
  const remove = useSave(async () => {
    await call("DELETE", `${path}/products?id=${encodeURIComponent(draft.id)}`);
    saved(draft);
    choosing.discard();
    notify("Product removed.");
    await back();
  }, "products");
  return (
    <Card>
      <Form of={save} wording={WORDING} onSubmit={() => save.mutate()}>
        <OwnersFields className="flex max-w-xl min-w-0 flex-col gap-4">
          <legend className="sr-only">Product</legend>
          <Fields
            product={product}
            draft={draft}
            set={set}
            {...picture}
            onFile={(file) => choosing.set({ file })}
          />
          {product === undefined && (
            <TextField
              label="Product number"
              name="id"
              hint="Agents use it to order the product. Leave it empty to create one from the name."
              maxLength={100}
              placeholder={idFrom(draft.title)}
              value={draft.id}
              onChange={({ target }) => set({ id: target.value.trim() })}
            />
          )}
          <div className="flex flex-wrap gap-2">
            <Button type="submit" kind="act" disabled={save.isPending}>
              {product === undefined ? "Add product" : "Save"}
            </Button>
            <Button onClick={() => void back()}>Cancel</Button>
            {product !== undefined && (
              <Confirm
                label="Remove"
                title={`Remove ${product.title}?`}
                yes="Remove"
                danger
                onYes={() => remove.mutateAsync()}
              >
                <p>Agents can no longer find or buy it. Existing orders keep its details.</p>
              </Confirm>
            )}
          </div>
        </OwnersFields>
      </Form>
    </Card>
  );
}
