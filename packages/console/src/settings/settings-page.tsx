import { Link, useParams } from "@tanstack/react-router";
import { ChevronLeft, ChevronRight } from "lucide-react";
import type { ComponentType } from "react";
import { OwnersNotice } from "../layout/owners-only.js";
import { useSite } from "../layout/sites.js";
import { Notice } from "../ui/notice.js";
import { Page } from "../ui/page.js";
import { BuyersPart } from "./buyers.js";
import { KeysPart } from "./keys.js";
import { NotificationsPart } from "./notifications.js";
import { isSettingsPart, SETTINGS_PARTS, type SettingsPartName } from "./parts.js";
import { PaymentsPart } from "./payments.js";
import { PeoplePart } from "./people.js";
import { ShopSystemPart } from "./shop-system.js";
import { SitePart } from "./site.js";
import { SkillsPart } from "./skills.js";
import { useSummaries } from "./summary.js";
import { TokensPart } from "./tokens.js";

const SHOWN: Readonly<Record<SettingsPartName, ComponentType>> = {
  site: SitePart,
  skills: SkillsPart,
  payments: PaymentsPart,
  shop: ShopSystemPart,
  notifications: NotificationsPart,
  buyers: BuyersPart,
  people: PeoplePart,
  tokens: TokensPart,
  keys: KeysPart,
};

const FIRST: SettingsPartName = "site";

/** Every part with its sentence. Beside the chosen one where there is room, a page of its own on a phone. */
function Parts({ chosen, isAlone }: { readonly chosen: string; readonly isAlone: boolean }) {
  const { name } = useSite();
  const summaries = useSummaries();
  return (
    <nav
      aria-label="Settings"
      className={`flex flex-col gap-0.5 max-md:divide-y max-md:divide-line max-md:overflow-hidden max-md:rounded-lg max-md:border max-md:border-line max-md:bg-card ${isAlone ? "" : "max-md:hidden"}`}
    >
      {Object.entries(SETTINGS_PARTS).map(([part, { label }]) => (
        <Link
          key={part}
          to="/$site/settings/$part"
          params={{ site: name, part }}
          aria-current={part === chosen ? "page" : undefined}
          className="flex items-center gap-3 px-4 py-3 text-sm hover:bg-line/40 md:rounded-lg md:px-3 md:py-2 md:aria-[current=page]:bg-act-soft md:aria-[current=page]:text-act"
        >
          <span className="min-w-0 flex-1">
            <span className="block font-medium">{label}</span>
            <span className="block break-words text-xs text-soft">
              {summaries[part as SettingsPartName]}
            </span>
          </span>
          <ChevronRight aria-hidden size={16} className="shrink-0 text-soft md:hidden" />
        </Link>
      ))}
    </nav>
  );
}

/** The settings of a site. */
export function SettingsPage() {
  const { name } = useSite();
  const { part } = useParams({ strict: false });
  const chosen = part ?? FIRST;
  const isKnown = isSettingsPart(chosen);
  const Shown = isKnown ? SHOWN[chosen] : undefined;
  return (
    <Page title={part === undefined || !isKnown ? "Settings" : SETTINGS_PARTS[chosen].label}>
      {part !== undefined && (
        <Link
          to="/$site/settings"
          params={{ site: name }}
          className="link -mt-2 flex items-center gap-1 self-start text-sm md:hidden"
        >
          <ChevronLeft aria-hidden size={16} />
          All settings
        </Link>
      )}
      <OwnersNotice />
      <div className="grid items-start gap-6 md:grid-cols-[15rem_minmax(0,1fr)]">
        <Parts chosen={chosen} isAlone={part === undefined} />
        <div className={`min-w-0 ${part === undefined ? "max-md:hidden" : ""}`}>
          {Shown === undefined ? (
            <Notice bad>This page does not exist. Choose one of the settings.</Notice>
          ) : (
            <Shown />
          )}
        </div>
      </div>
    </Page>
  );
}
