import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Api } from "../api/client.js";
import { useList } from "../api/list.js";
import { useSite } from "../layout/sites.js";
import { Button } from "../ui/button.js";
import { Id } from "../ui/id.js";
import { Failure } from "../ui/notice.js";
import { Card } from "../ui/page.js";
import { ShortTime } from "../ui/time.js";
import { DiffView } from "./diff-view.js";
import { editable } from "./policy.js";
import { versionQuery } from "./versions.js";

type Item = Api["PolicyVersionItem"];

/** The changes of a version. */
function VersionDiff({
  version,
  onTake,
}: {
  readonly version: number;
  readonly onTake: ((text: string) => void) | undefined;
}) {
  const { path } = useSite();
  const now = useQuery(versionQuery(path, version));
  const before = useQuery(versionQuery(path, version - 1));
  if (now.isError) return <Failure error={now.error} />;
  if (now.data === undefined || (version > 1 && before.data === undefined)) return null;
  const text = editable(now.data.document as never);
  return (
    <div className="flex flex-col gap-2">
      <Id value={now.data.digest} label="digest" />
      <DiffView
        before={before.data === undefined ? "" : editable(before.data.document as never)}
        after={text}
      />
      {onTake !== undefined && (
        <Button className="self-start" onClick={() => onTake(text)}>
          Use version {version} again
        </Button>
      )}
    </div>
  );
}

/** Every version. Records name the version that decided. */
export function History({ onTake }: { readonly onTake: ((text: string) => void) | undefined }) {
  const { path } = useSite();
  const list = useList<Item>("policy", `${path}/policy/versions`, {});
  const [shown, setShown] = useState<number | null>(null);
  if (list.isError) return <Failure error={list.error} />;
  return (
    <Card title="History">
      {list.data?.length === 0 && <p className="text-sm text-soft">No versions yet.</p>}
      <ol className="flex flex-col gap-2 text-sm">
        {list.data?.map(({ version, published_at }, place) => (
          <li key={version} className="flex flex-col gap-2">
            <button
              type="button"
              className="link self-start"
              aria-expanded={shown === version}
              onClick={() => setShown(shown === version ? null : version)}
            >
              Version {version}
              {place === 0 && " (current)"}, <ShortTime at={published_at} />
            </button>
            {shown === version && <VersionDiff version={version} onTake={onTake} />}
          </li>
        ))}
      </ol>
      {list.hasNextPage && (
        <Button className="self-start" onClick={() => void list.fetchNextPage()}>
          Show more
        </Button>
      )}
    </Card>
  );
}
