import { useQuery } from "@tanstack/react-query";
import { Asker } from "../agents/names.js";
import { type Api, call } from "../api/client.js";
import { useSite } from "../layout/sites.js";
import { Card } from "../ui/page.js";
import { Time } from "../ui/time.js";
import { countText } from "../ui/words.js";

/** How often the page reloads it. */
const REFRESH_MS = 30_000;

const WAITS: Readonly<Record<string, string>> = {
  instrument: "One payment method of",
  buyer: "One buyer of",
};

/** Shown while payments are declined, or while somebody cannot pay because of that. */
export function Declines() {
  const { site, path } = useSite();
  const { data } = useQuery({
    queryKey: ["declines", site.site_key_hash],
    queryFn: () => call<Api["Declines"]>("GET", `${path}/declines`),
    refetchInterval: REFRESH_MS,
  });
  if (data === undefined) return null;
  const { attempts, declined, hand_off_until, waiting } = data;
  if (declined === 0 && waiting.length === 0 && hand_off_until === null) return null;
  return (
    <Card title="Declined payments">
      <p className="text-sm">
        Declined in the last 10 minutes: {declined} of {countText(attempts, "payment")}.
      </p>
      {hand_off_until !== null && (
        <p className="text-sm text-warn">
          Platforms that you have not admitted cannot pay until <Time at={hand_off_until} />. Their
          buyers can still pay on the payment page. If somebody is testing stolen cards, you can
          pause sales.
        </p>
      )}
      {waiting.length > 0 && (
        <ul className="flex flex-col gap-1 text-sm">
          {waiting.map(({ kind, identity, until }) => (
            <li key={`${kind} ${identity} ${until}`} className="flex flex-wrap gap-x-2">
              {identity === null ? "One network address" : WAITS[kind]}
              {identity !== null && <Asker id={identity} />}
              <span className="text-soft">
                is blocked from payments until <Time at={until} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
