import { parseAmount } from "@gatehouse/protocol";
import { useQuery } from "@tanstack/react-query";
import { type Api, call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useMay, useSite } from "../layout/sites.js";
import { Select } from "../ui/field.js";
import { SaveMessage } from "../ui/outcome.js";
import { Card } from "../ui/page.js";
import { moneyText } from "../ui/words.js";

type Settings = Api["PlatformSettings"];

const ACCEPTED = { any: "Any platform", admitted: "Only admitted platforms" };

/** The shared limit of platforms that are not admitted, in words. */
function poolText({ pool }: Settings): string {
  const spend = Object.entries(pool.spend_per_day).map(([currency, sum]) => {
    const amount = parseAmount(sum, currency);
    return amount.ok ? moneyText(amount.value) : `${sum} ${currency}`;
  });
  const sums =
    spend.length === 0
      ? "about €5,000 spent a day in each currency"
      : `${spend.join(", ")} spent a day`;
  return (
    `Platforms that you have not admitted share these limits: ${pool.purchases_per_hour.toLocaleString()} ` +
    `purchases an hour, ${pool.purchases_per_day.toLocaleString()} purchases a day, ${sums}, and ` +
    `${pool.pending_reviews.toLocaleString()} pending reviews.`
  );
}

/** Which platforms may pay here. */
export function PlatformSettingsCard() {
  const { path } = useSite();
  const mayChange = useMay("owner");
  const at = `${path}/platform-settings`;
  const query = useQuery({
    queryKey: ["platform-settings", path],
    queryFn: () => call<Settings>("GET", at),
  });
  const save = useSave(
    (platforms: string) => call("PATCH", at, { platforms }),
    "platform-settings",
  );
  if (!query.isSuccess) return null;
  return (
    <Card title="Who can buy">
      <div className="flex max-w-2xl flex-col gap-3">
        <Select
          label="Platforms that can pay here"
          hint="If only admitted platforms can pay, other platforms can still fill carts. Their buyers pay on the payment page."
          value={query.data.platforms}
          choices={ACCEPTED}
          disabled={!mayChange || save.isPending}
          onChoose={(value) => save.mutate(value)}
        />
        <p className="text-sm text-soft">{poolText(query.data)}</p>
        <SaveMessage of={save} />
      </div>
    </Card>
  );
}
