import { POLICY_PRESETS, type PolicyPreset, policyPreset } from "@gatehouse/protocol";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { shopQuery } from "../delivery/shop.js";
import { useSite } from "../layout/sites.js";
import { OWN_ZONE } from "../layout/zone.js";
import { usualCurrencyQuery } from "../products/usual-currency.js";
import { Button } from "../ui/button.js";
import { Confirm } from "../ui/confirm.js";
import { CurrencyField } from "../ui/currency-field.js";
import { Select, TextField } from "../ui/field.js";
import { typedAmount } from "../ui/words.js";
import { editable } from "./policy.js";

const WORDS: Readonly<Record<PolicyPreset, readonly [string, string]>> = {
  ask_always: ["Review everything", "Every request needs your approval."],
  automatic_under: [
    "Approve small purchases, review the rest",
    "Purchases up to your limit are approved. Larger purchases need review. If a purchase would bring an agent's spending above ten times the limit in a day, it needs review too. The limit is for agents that pay by themselves: a person who pays on the payment page needs no review.",
  ],
  read_only: [
    "No purchases",
    "Requests that cost nothing are approved. Every purchase is declined.",
  ],
};

/** Rules to start from. */
export function Presets({
  use,
  isMain = true,
  replaces = false,
  onUse,
}: {
  readonly use: string;
  /** Whether its button is the main one of the page. */
  readonly isMain?: boolean;
  /** Whether there are rules that this would replace. */
  readonly replaces?: boolean;
  onUse(text: string): void;
}) {
  const [preset, setPreset] = useState<PolicyPreset>("automatic_under");
  const [limit, setLimit] = useState("50.00");
  const { path } = useSite();
  const shop = useQuery(shopQuery(path));
  const usual = useQuery(usualCurrencyQuery(path));
  const [chosen, setChosen] = useState<string>();
  const currency = chosen ?? usual.data ?? "EUR";
  const limited = preset === "automatic_under";
  const timezone = shop.data?.time_zone ?? OWN_ZONE;
  const policy = policyPreset(preset, { ...(limited ? { limit, currency } : {}), timezone });
  return (
    <div className="flex flex-col gap-3">
      <Select
        label="Start from"
        value={preset}
        choices={Object.fromEntries(POLICY_PRESETS.map((name) => [name, WORDS[name][0]]))}
        hint={WORDS[preset][1]}
        onChoose={(name) => setPreset(name as PolicyPreset)}
      />
      {limited && (
        <div className="grid max-w-sm grid-cols-2 gap-2">
          <TextField
            label="Limit"
            inputMode="decimal"
            value={limit}
            error={policy.ok ? undefined : "Enter an amount such as 50 or 50.00."}
            onChange={({ target }) => setLimit(typedAmount(target.value, currency))}
          />
          <CurrencyField value={currency} onChoose={setChosen} />
        </div>
      )}
      {replaces ? (
        <div>
          <Confirm
            label={use}
            title="Replace your rules?"
            yes="Replace rules"
            disabled={!policy.ok}
            onYes={async () => policy.ok && onUse(editable(policy.value))}
          >
            <p>
              This preset replaces your rules. Earlier versions stay in the history of your rules.
            </p>
          </Confirm>
        </div>
      ) : (
        <Button
          kind={isMain ? "act" : "plain"}
          className="self-start"
          disabled={!policy.ok}
          onClick={() => policy.ok && onUse(editable(policy.value))}
        >
          {use}
        </Button>
      )}
    </div>
  );
}
