import { OwnersFields } from "../layout/owners-only.js";
import { useDraft } from "../ui/draft.js";
import { Checkbox, TextArea, TextField } from "../ui/field.js";
import { Form } from "../ui/form.js";
import { Card } from "../ui/page.js";
import { HTTPS } from "../ui/problems.js";
import { SaveRow } from "../ui/save-row.js";
import type { Shop } from "./draft.js";
import { useShopSave } from "./shop.js";

const LINKS = {
  terms_of_service: "Terms of service",
  privacy_policy: "Privacy policy",
  refund_policy: "Returns and refunds",
  shipping_policy: "Delivery information",
  faq: "Questions and answers",
} as const;

const WORDING = { links: HTTPS, "terms.text": "Use at most 50,000 characters." };

/** The terms that buyers agree to, and pages with more information. */
export function TermsCard({ shop }: { readonly shop: Shop }) {
  const draft = useDraft(
    {
      text: shop.terms?.text ?? "",
      links: shop.links ?? {},
      mail: shop.buyer_mail ?? true,
    },
    { keep: "terms" },
  );
  const { text, links, mail } = draft.value;
  const save = useShopSave(shop, async () => {
    // A new text is a new version, named after the day.
    const version =
      text === shop.terms?.text ? shop.terms.version : new Date().toISOString().slice(0, 10);
    const given = Object.entries(links).filter(([, url]) => url !== undefined && url !== "");
    return {
      terms: text.trim() === "" ? null : { text, version },
      links: Object.fromEntries(given),
      buyer_mail: mail,
    };
  });
  return (
    <Card title="Terms and information">
      <p className="text-sm text-soft">
        {shop.terms === null
          ? "Buyers agree to the default terms, which name your shop as the seller."
          : `Buyers agree to your terms, version ${shop.terms?.version}.`}
      </p>
      <Form
        of={save}
        wording={WORDING}
        done="Saved."
        onSubmit={() => save.mutate(undefined, { onSuccess: () => draft.saved(draft.value) })}
      >
        <OwnersFields className="flex max-w-2xl flex-col gap-4">
          <legend className="sr-only">Terms and information</legend>
          <TextArea
            label="Your terms"
            name="terms.text"
            hint="Leave it empty to use the default terms."
            rows={5}
            value={text}
            onChange={({ target }) => draft.set({ text: target.value })}
          />
          {Object.entries(LINKS).map(([name, label]) => (
            <TextField
              key={name}
              label={label}
              name={`links.${name}`}
              type="url"
              placeholder="https://"
              value={links[name as keyof typeof LINKS] ?? ""}
              onChange={({ target }) => draft.set({ links: { ...links, [name]: target.value } })}
            />
          ))}
          <Checkbox
            label="Email buyers about their orders"
            checked={mail}
            onChange={({ target }) => draft.set({ mail: target.checked })}
          />
          <SaveRow draft={draft} busy={save.isPending} label="Save terms" />
        </OwnersFields>
      </Form>
    </Card>
  );
}
