import { useQuery } from "@tanstack/react-query";
import { type Api, call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useMay } from "../layout/sites.js";
import { Badge } from "../ui/badge.js";
import { Confirm } from "../ui/confirm.js";
import { Fold } from "../ui/fold.js";
import { Id } from "../ui/id.js";
import { Loading } from "../ui/loading.js";
import { Failure } from "../ui/notice.js";
import { Card, Empty } from "../ui/page.js";
import { Time } from "../ui/time.js";

type Key = Api["Key"];

const PURPOSES: Readonly<Record<Key["purpose"], string>> = {
  card: "Keys that sign documents",
  audit: "Keys that sign the audit log",
};

function Rotate({ purpose }: { readonly purpose: Key["purpose"] }) {
  const rotate = useSave(() => call("POST", "/v1/admin/keys/rotate", { purpose }), "keys");
  return (
    <Confirm
      label="Rotate"
      title="Rotate this key?"
      yes="Rotate"
      onYes={() => rotate.mutateAsync()}
    >
      <p>All sites of this installation share this key.</p>
      <p>
        The next key, which is already published, becomes the current key, and a new next key is
        published. The old key stays published for 13 months, so that its signatures can still be
        verified.
      </p>
      <p>
        To replace a stolen key, run <code>gatehouse key rotate {purpose} --stolen</code> in a
        terminal.
      </p>
    </Confirm>
  );
}

/** The keys of the installation. */
export function KeysPart() {
  const operator = useMay("operator");
  const keys = useQuery({
    queryKey: ["keys"],
    queryFn: () => call<{ items: Key[] }>("GET", "/v1/admin/keys"),
    enabled: operator,
  });
  if (!operator) {
    return (
      <Empty title="Keys belong to the installation">
        <p>
          Only an operator can rotate them. The public keys are at{" "}
          <a className="link" href="/.well-known/jwks.json">
            /.well-known/jwks.json
          </a>{" "}
          and{" "}
          <a className="link" href="/.well-known/audit-jwks.json">
            /.well-known/audit-jwks.json
          </a>
          .
        </p>
      </Empty>
    );
  }
  if (keys.isError) return <Failure error={keys.error} />;
  if (!keys.isSuccess) return <Loading />;
  return (Object.keys(PURPOSES) as Key["purpose"][]).map((purpose) => (
    <Card key={purpose} title={PURPOSES[purpose]} actions={<Rotate purpose={purpose} />}>
      <ul className="flex flex-col gap-2 text-sm">
        {keys.data.items
          .filter((key) => key.purpose === purpose)
          .map(({ kid, state, listed_until }) => (
            <li key={kid} className="flex flex-wrap items-center gap-2">
              <Badge word={state} />
              {listed_until !== null && (
                <span className="text-soft">
                  published until <Time at={listed_until} />
                </span>
              )}
              <Fold>
                <Id value={kid} label="key ID" />
              </Fold>
            </li>
          ))}
      </ul>
    </Card>
  ));
}
