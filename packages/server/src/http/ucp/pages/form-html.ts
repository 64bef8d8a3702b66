import { htmlText, type JsonObject } from "@gatehouse/protocol";
import { shownEntries } from "../../../actions/checkout/buyer-entries.js";
import { quoteDigest } from "../../../actions/checkout/quote.js";
import { filled, type Language } from "../../../domain/buyer-words/words.js";
import {
  type Checkout,
  isReady,
  type Missing,
  type Quote,
  type QuotedOption,
} from "../../../domain/checkouts/checkout.js";
import { isolated } from "../../server/html-page.js";
import type { Voice } from "../../server/voice.js";
import { asNext, notice } from "./parts.js";

/** What a form needs to know of the shop. */
export interface FormShop {
  /** Whether the shop asks where the buyer is, and which countries it serves. */
  readonly asks: boolean;
  readonly countries: readonly string[] | "all";
  readonly terms: string;
  readonly links: Readonly<Partial<Record<string, string>>>;
}

const TEXT_CHARS_MAX = 200;

/** A part of the form, which the buyer completes in one step. */
type Step = "contact" | "address" | "method" | "pay";

/** Where something that is missing is entered. The rest concerns the whole order. */
const STEP_OF: Readonly<Partial<Record<Missing, Step>>> = {
  email: "contact",
  address: "address",
  deliverable: "address",
  taxes: "address",
  option: "method",
};

/** Whether something that is missing is shown in the form, beside its fields. */
export const isInForm = (missing: Missing): boolean => STEP_OF[missing] !== undefined;

/** The step to go on with. The form is shown again from there. */
function nextStep({ options }: Quote, missing: readonly Missing[]): Step {
  const [first] = missing.map((one) => STEP_OF[one]).filter((step) => step !== undefined);
  return first ?? (options.length > 0 ? "method" : "pay");
}

interface Field {
  readonly name: string;
  readonly label: string;
  readonly autocomplete: string;
  readonly type?: string;
  readonly isRequired?: boolean;
}

function input({ name, label, autocomplete, type = "text", isRequired }: Field, value: string) {
  const required = isRequired ? " required" : "";
  return `<label>${htmlText(label)}
<input type="${type}" name="${name}" value="${htmlText(value)}" autocomplete="${autocomplete}" maxlength="${TEXT_CHARS_MAX}"${required}></label>`;
}

const textOf = (members: JsonObject, name: string) => {
  const value = members[name];
  return typeof value === "string" ? value : "";
};

function countryField(voice: Voice, { countries }: FormShop, chosen: string): string {
  const { form } = voice.words;
  const served = countryNames(voice.language, countries);
  const options = served.map(({ code, name }) => {
    const selected = code === chosen.toUpperCase() ? " selected" : "";
    return `<option value="${code}"${selected}>${htmlText(name)}</option>`;
  });
  // Another country that a platform has sent must not be changed without the buyer.
  const isOnly = served.length === 1 && ["", served[0]?.code].includes(chosen.toUpperCase());
  const choose = isOnly ? [] : [`<option value="">${htmlText(form.chooseCountry)}</option>`];
  return `<label>${htmlText(form.country)}
<select name="address_country" autocomplete="country" required>
${[...choose, ...options].join("\n")}
</select></label>`;
}

/** The fields of an address, or of the place alone if nothing is delivered. */
function addressFields(
  voice: Voice,
  shop: FormShop,
  { ships, address, fieldset }: AddressStep,
): string {
  if (!ships && !shop.asks) return "";
  const { form } = voice.words;
  const field = (name: string, label: string, autocomplete: string, isRequired = false) =>
    input({ name, label, autocomplete, isRequired }, textOf(address, name));
  const country = countryField(voice, shop, textOf(address, "address_country"));
  const region = field("address_region", form.region, "address-level1");
  if (!ships) return fieldset(form.country, [country, region]);
  return fieldset(form.address, [
    '<div class="pair">',
    field("first_name", form.firstName, "given-name", true),
    field("last_name", form.lastName, "family-name", true),
    "</div>",
    field("street_address", form.street, "address-line1", true),
    field("extended_address", form.extended, "address-line2"),
    '<div class="pair">',
    field("postal_code", form.postalCode, "postal-code"),
    field("address_locality", form.city, "address-level2", true),
    "</div>",
    region,
    country,
    field("phone_number", form.phone, "tel"),
  ]);
}

/** Writes a step: its title, what is missing in it, and its fields. */
type Fieldset = (legend: string, parts: readonly string[]) => string;

interface AddressStep {
  readonly ships: boolean;
  readonly address: JsonObject;
  readonly fieldset: Fieldset;
}

function daysText({ words: { form } }: Voice, [from, to]: readonly [number, number]): string {
  if (from !== to) return filled(form.fromToDays, { from, to });
  return from === 1 ? form.oneDay : filled(form.days, { count: from });
}

function optionField(voice: Voice, { content, quote }: Checkout, fieldset: Fieldset): string {
  if (quote.options.length === 0) return "";
  const currency = quote.currency ?? "";
  const choice = ({ id, title, amountMinor, days }: QuotedOption) => {
    const checked = id === content.delivery.optionId ? " checked" : "";
    const soft =
      days === null ? "" : ` <span class="soft">${htmlText(daysText(voice, days))}</span>`;
    const price = voice.money(amountMinor, currency);
    return `<label class="choice"><input type="radio" name="option" value="${htmlText(id)}"${checked} required><span>${isolated(title)}${soft}</span>${price}</label>`;
  };
  return fieldset(voice.words.form.method, quote.options.map(choice));
}

function agreement({ words: { form } }: Voice, { terms, links }: FormShop): string {
  const link = (url: string, text: string) =>
    `<a rel="noreferrer" href="${htmlText(url)}">${htmlText(text)}</a>`;
  const agree = filled(htmlText(form.agree), { terms: link(terms, form.terms) });
  const own = Object.entries(form.links).flatMap(([type, text]) => {
    const url = links[type];
    return url === undefined ? [] : [link(url, text)];
  });
  return `<p class="soft">${[agree, ...own].join(" &middot; ")}</p>`;
}

/** The total and the button that pays, or the button that goes on. */
function payStep(voice: Voice, shop: FormShop, quote: Quote): readonly string[] {
  const { form, order } = voice.words;
  const button = (value: string, text: string, kind = "") =>
    `<button name="do" value="${value}"${kind}>${htmlText(text)}</button>`;
  const acts = (buttons: readonly string[]) => `<p class="acts">${buttons.join("\n")}</p>`;
  if (!isReady(quote)) return [acts([button("update", form.proceed)])];
  const total = voice.money(quote.totals.totalMinor, quote.currency ?? "");
  return [
    `<p><strong>${htmlText(order.total)}: ${total}</strong></p>`,
    agreement(voice, shop),
    acts([button("pay", form.pay), button("update", form.update, ' class="other"')]),
  ];
}

interface FormState {
  readonly browser: string;
  /** What is missing, once the buyer has begun to enter something. */
  readonly missing: readonly Missing[];
  /** Whether the page shows something above the form that the buyer has to read first. */
  readonly hasNotice: boolean;
}

/**
 * The form of an open checkout. Everything that the buyer decides about is in it, so that a browser without
 * cookies can order too. `Enter` in a field presses the first button.
 */
export function orderForm(
  voice: Voice,
  shop: FormShop,
  checkout: Checkout,
  { browser, missing, hasNotice }: FormState,
): string {
  const { form, missing: texts } = voice.words;
  const { quote } = checkout;
  const { email, address } = shownEntries(checkout, browser);
  const next = hasNotice ? undefined : nextStep(quote, missing);
  const fieldsetOf =
    (step: Step): Fieldset =>
    (legend, parts) =>
      [
        `<fieldset${asNext(step === next)}>`,
        `<legend>${htmlText(legend)}</legend>`,
        ...missing.filter((one) => STEP_OF[one] === step).map((one) => notice(texts[one])),
        ...parts,
        "</fieldset>",
      ].join("\n");
  const contact = { name: "email", label: form.email, autocomplete: "email", type: "email" };
  return [
    '<form method="post">',
    `<input type="hidden" name="quote" value="${quoteDigest(quote)}">`,
    fieldsetOf("contact")(form.contact, [input({ ...contact, isRequired: true }, email)]),
    addressFields(voice, shop, { ships: quote.ships, address, fieldset: fieldsetOf("address") }),
    optionField(voice, checkout, fieldsetOf("method")),
    `<div${asNext(next === "pay")}>`,
    ...payStep(voice, shop, quote),
    "</div>",
    `<p class="soft">${htmlText(form.payNext)}</p>`,
    "</form>",
  ].join("\n");
}

/** Regions that are no countries in which anything is delivered. */
const NO_COUNTRIES: ReadonlySet<string> = new Set(["EU", "EZ", "QO", "UN", "XA", "XB", "ZZ"]);

const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];

/** The codes that have a name: ISO 3166-1, as the runtime knows it. */
function allCountries(): readonly string[] {
  const names = new Intl.DisplayNames("en", { type: "region", fallback: "none" });
  const codes = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));
  return codes.filter((code) => !NO_COUNTRIES.has(code) && names.of(code) !== undefined);
}

/** Countries with their names in a language, in its alphabetical order. */
function countryNames(
  language: Language,
  codes: readonly string[] | "all",
): readonly { readonly code: string; readonly name: string }[] {
  const names = new Intl.DisplayNames(language, { type: "region" });
  const { compare } = new Intl.Collator(language);
  const listed = codes === "all" ? allCountries() : codes;
  return [...new Set(listed)]
    .map((code) => ({ code, name: names.of(code) ?? code }))
    .sort((a, b) => compare(a.name, b.name));
}
