import type { Check, JsonObject } from "@gatehouse/protocol";
import { useState } from "react";
import { type Api, call } from "../api/client.js";
import { useSite } from "../layout/sites.js";
import { Button } from "../ui/button.js";
import { Snippet } from "../ui/id.js";
import { Failure } from "../ui/notice.js";
import { saveFile } from "../ui/save-file.js";
import { chainsOf } from "./chains.js";
import { Checks, ChecksSummary } from "./checks.js";

interface Proven {
  readonly record: Api["ProvenRecord"];
  readonly checks: readonly Check[];
  /** Proves the record to anybody who has its hash (C2SP tlog-proof). */
  readonly receipt: string;
}

/** Fetches a record and its proof, and checks both in this page. Reading a record is recorded, so it is asked for. */
export function RecordProof({
  recordId,
  recordCheck,
}: {
  readonly recordId: string;
  /** What else must hold of the record, where it is shown beside something. */
  recordCheck?(record: JsonObject): Check;
}) {
  const { path } = useSite();
  const [proven, setProven] = useState<Proven | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  async function prove() {
    setBusy(true);
    setError(null);
    try {
      const at = `${path}/audit/records/${encodeURIComponent(recordId)}`;
      const record = await call<Api["ProvenRecord"]>("GET", at);
      // Cryptography is loaded by whoever asks for it.
      const { proveRecord, receiptOf } = await import("./prove-record.js");
      const chains = await chainsOf(path);
      const checks = await proveRecord(record, { recordId, chains });
      const more =
        recordCheck === undefined ? [] : [recordCheck(record.entry.record as JsonObject)];
      setProven({ record, checks: [...checks, ...more], receipt: receiptOf(record) });
    } catch (caught) {
      setError(caught);
    } finally {
      setBusy(false);
    }
  }
  return (
    <div className="flex flex-col gap-3">
      {proven === null && (
        <div>
          <Button disabled={busy} onClick={() => void prove()}>
            {busy ? "Checking…" : "Check it in this browser"}
          </Button>
        </div>
      )}
      {error !== null && <Failure error={error} />}
      {proven !== null && (
        <>
          <ChecksSummary checks={proven.checks} of="The record" />
          <Checks checks={proven.checks} />
          <div>
            <Button
              onClick={() => saveFile(`${recordId}.tlog-proof`, "text/plain", proven.receipt)}
            >
              Save the proof
            </Button>
          </div>
          <details className="text-sm">
            <summary className="text-soft">The record, and the signed checkpoint</summary>
            <div className="mt-2 flex flex-col gap-2">
              <Snippet label="record" text={JSON.stringify(proven.record.entry, null, 2)} />
              <Snippet label="checkpoint" text={proven.record.proof.checkpoint} />
            </div>
          </details>
        </>
      )}
    </div>
  );
}
