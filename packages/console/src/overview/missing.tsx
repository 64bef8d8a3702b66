import { Link } from "@tanstack/react-router";
import { useSite } from "../layout/sites.js";
import { adviceFor, type Processor } from "../settings/processor.js";
import type { Step } from "../setup/steps.js";

type Place = "payments" | "products" | "policy" | "shop" | "skills";

/** The page where an owner can fix what is missing. By default it is Payments. */
const PLACES: Readonly<Record<string, Place>> = {
  products: "products",
  policy: "policy",
  rules: "policy",
  mandates: "skills",
  skill: "skills",
};

/** The step of the setup that is about it. */
const STEPS: Readonly<Record<string, Step>> = {
  domain: "domain",
  products: "products",
  policy: "rules",
  rules: "rules",
  processor: "payments",
  rail: "payments",
  settlement: "payments",
};

/** What is missing before agents can buy, by page. The domain has its own entry. */
export function missingByPlace({ missing }: Processor): ReadonlyMap<Place, string> {
  const places = new Map<Place, string>();
  for (const { name, advice: given } of missing) {
    if (name === "domain") continue;
    const advice = adviceFor(name, given);
    const place = PLACES[name] ?? "payments";
    places.set(place, [places.get(place), advice].filter(Boolean).join(" "));
  }
  return places;
}

/** What is missing, and is in no step of the setup. */
export function missingOutsideSteps(processor: Processor): ReadonlyMap<Place, string> {
  const missing = processor.missing.filter(({ name }) => STEPS[name] === undefined);
  return missingByPlace({ ...processor, missing });
}

export function MissingLink({ place, text }: { readonly place: Place; readonly text: string }) {
  const { name } = useSite();
  const params = { site: name };
  if (place === "products" || place === "policy") {
    return (
      <Link to={`/$site/${place}`} params={params} className="link">
        {text}
      </Link>
    );
  }
  return (
    <Link to="/$site/settings/$part" params={{ ...params, part: place }} className="link">
      {text}
    </Link>
  );
}
