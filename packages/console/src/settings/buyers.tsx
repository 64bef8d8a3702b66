import { queryOptions, useQuery } from "@tanstack/react-query";
import { type Api, call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useMay, useSite } from "../layout/sites.js";
import { useDraft } from "../ui/draft.js";
import { Checkbox, TextField } from "../ui/field.js";
import { Form } from "../ui/form.js";
import { Failure } from "../ui/notice.js";
import { Card, Empty } from "../ui/page.js";
import { SaveRow } from "../ui/save-row.js";
import { FindBuyer } from "./find-buyer.js";

const DAYS_MAX = 3650;
/** Suggested to owners who kept everything so far. */
const USUAL_DAYS = "730";

function Retention({ saved }: { readonly saved: Api["BuyerRetention"] }) {
  const { path } = useSite();
  const draft = useDraft(
    {
      isKept: saved.days === null,
      days: saved.days === null ? USUAL_DAYS : String(saved.days),
    },
    { keep: "retention" },
  );
  const { isKept, days } = draft.value;
  const save = useSave(
    () => call("PUT", `${path}/buyers/retention`, { days: isKept ? null : Number(days) }),
    "buyer-retention",
  );
  return (
    <Card title="How long to keep buyers' data">
      <Form
        of={save}
        done="Saved."
        onSubmit={() => save.mutate(undefined, { onSuccess: () => draft.saved(draft.value) })}
        className="flex max-w-prose flex-col gap-3"
      >
        <TextField
          label="Erase buyers' personal data this many days after an order has ended"
          name="days"
          type="number"
          required
          min={0}
          max={DAYS_MAX}
          disabled={isKept}
          hint="Names, addresses, email addresses and notes are erased. Items, amounts and the audit log stay. Carts and checkouts without an order are deleted within two days."
          value={days}
          onChange={({ target }) => draft.set({ days: target.value })}
        />
        <Checkbox
          label="Keep it until I erase it"
          checked={isKept}
          onChange={({ target }) => draft.set({ isKept: target.checked })}
        />
        <SaveRow draft={draft} busy={save.isPending} />
      </Form>
    </Card>
  );
}

export const retentionQuery = (path: string) =>
  queryOptions({
    queryKey: ["buyer-retention", path],
    queryFn: () => call<Api["BuyerRetention"]>("GET", `${path}/buyers/retention`),
  });

/** How long personal data of buyers is kept, and what is stored about one of them. */
export function BuyersPart() {
  const { path } = useSite();
  const mayChange = useMay("owner");
  const retention = useQuery({ ...retentionQuery(path), enabled: mayChange });
  if (!mayChange) return <Empty title="Only for owners">Ask an owner about buyers' data.</Empty>;
  if (retention.isError) return <Failure error={retention.error} />;
  return (
    <div className="flex flex-col gap-4">
      <FindBuyer />
      {retention.isSuccess && <Retention saved={retention.data} />}
    </div>
  );
}
