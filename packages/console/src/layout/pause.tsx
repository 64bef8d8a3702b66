import { useState } from "react";
import { call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { Button } from "../ui/button.js";
import { ConfirmDialog } from "../ui/confirm.js";
import { Failure } from "../ui/notice.js";
import { Time } from "../ui/time.js";
import { useMay, useSite } from "./sites.js";

/** What a pause changes: the site, and whether it sells. */
const TOPICS = ["sites", "processor"] as const;

/** Shown above every page of a site whose sales are paused. */
export function PausedNotice() {
  const { site, path } = useSite();
  const mayResume = useMay("owner");
  const resume = useSave(() => call("POST", `${path}/resume`, {}), ...TOPICS);
  if (site.paused_at === null) return null;
  return (
    <div className="mb-4 flex flex-col gap-2 rounded-lg border border-warn/40 bg-warn/10 p-4">
      <div role="status" className="flex flex-wrap items-center gap-3 text-sm">
        <p className="min-w-0 flex-1">
          <strong className="font-semibold text-warn">Sales are paused</strong> since{" "}
          <Time at={site.paused_at} />. No new payments are authorized. Existing orders continue as
          usual.
        </p>
        {mayResume && (
          <Button kind="act" disabled={resume.isPending} onClick={() => resume.mutate()}>
            Resume sales
          </Button>
        )}
      </div>
      {resume.isError && <Failure error={resume.error} />}
    </div>
  );
}

/** Asks before every sale is stopped at once. */
export function PauseDialog({ open, onClose }: { readonly open: boolean; onClose(): void }) {
  const { site, path } = useSite();
  const pause = useSave(() => call("POST", `${path}/pause`, {}), ...TOPICS);
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      title={`Pause sales on ${site.domain}?`}
      yes="Pause sales"
      danger
      onYes={() => pause.mutateAsync()}
    >
      <p>
        No new payments are authorized until you resume sales, even if a reviewer approves. Agents
        no longer see the actions for buying.
      </p>
      <p>Existing orders continue as usual, with their status updates and emails.</p>
    </ConfirmDialog>
  );
}

/** The owner's way to stop every sale at once. */
export function PauseButton() {
  const { site } = useSite();
  const mayPause = useMay("owner");
  const [open, setOpen] = useState(false);
  if (!mayPause || site.paused_at !== null) return null;
  return (
    <>
      <Button onClick={() => setOpen(true)}>Pause sales</Button>
      <PauseDialog open={open} onClose={() => setOpen(false)} />
    </>
  );
}
