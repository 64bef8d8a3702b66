import { Link, useParams } from "@tanstack/react-router";
import type { ComponentType } from "react";
import { useMay, useSite } from "../layout/sites.js";
import { Notice } from "../ui/notice.js";
import { Page } from "../ui/page.js";
import { BuyersPart } from "./buyers.js";
import { KeysPart } from "./keys.js";
import { NotificationsPart } from "./notifications.js";
import { SETTINGS_PARTS } from "./parts.js";
import { PaymentsPart } from "./payments.js";
import { PeoplePart } from "./people.js";
import { ShopSystemPart } from "./shop-system.js";
import { SitePart } from "./site.js";
import { SkillsPart } from "./skills.js";
import { TokensPart } from "./tokens.js";

const SHOWN: Readonly<Record<string, ComponentType>> = {
  site: SitePart,
  skills: SkillsPart,
  payments: PaymentsPart,
  shop: ShopSystemPart,
  notifications: NotificationsPart,
  buyers: BuyersPart,
  people: PeoplePart,
  tokens: TokensPart,
  keys: KeysPart,
} satisfies Record<keyof typeof SETTINGS_PARTS, ComponentType>;

/** The settings of a site. */
export function SettingsPage() {
  const { name } = useSite();
  const { part = "site" } = useParams({ strict: false });
  const mayChange = useMay("owner");
  const Shown = SHOWN[part];
  return (
    <Page title="Settings">
      <nav aria-label="Settings" className="flex flex-wrap gap-1 border-b border-line pb-2">
        {Object.entries(SETTINGS_PARTS).map(([id, label]) => (
          <Link
            key={id}
            to="/$site/settings/$part"
            params={{ site: name, part: id }}
            aria-current={id === part ? "page" : undefined}
            className="rounded-lg px-3 py-1.5 text-sm hover:bg-line/40 aria-[current=page]:bg-line/60 aria-[current=page]:font-semibold"
          >
            {label}
          </Link>
        ))}
      </nav>
      {!mayChange && <Notice>You can view these settings. Only owners can change them.</Notice>}
      {Shown === undefined ? (
        <Notice bad>This page does not exist. Choose one above.</Notice>
      ) : (
        <Shown />
      )}
    </Page>
  );
}
