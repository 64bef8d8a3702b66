import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { type Api, call, type Page as ListPage } from "../api/client.js";
import { queryText } from "../api/list.js";
import { useMay, useSite } from "../layout/sites.js";
import { Badge } from "../ui/badge.js";
import { LoadingPage } from "../ui/loading.js";
import { Failure } from "../ui/notice.js";
import { Card, Empty, Facts, Page } from "../ui/page.js";
import { Time } from "../ui/time.js";
import { CredentialsCard } from "./credentials.js";
import { PlatformSteps } from "./platform-steps.js";

/** One platform: how it is known, what it may do, and its keys. */
export function PlatformPage() {
  const { name: site, path } = useSite();
  const { id } = useParams({ from: "/shell/$site/platforms/$id" });
  const mayAct = useMay("owner");
  const query = useQuery({
    queryKey: ["platforms", path, "one", id],
    queryFn: () =>
      call<ListPage<Api["Platform"]>>("GET", `${path}/platforms?${queryText({ q: id })}`),
  });
  if (query.isError) return <Failure error={query.error} />;
  if (!query.isSuccess) return <LoadingPage />;
  const platform = query.data.items.find((one) => one.platform === id);
  if (platform === undefined) {
    return <Empty title="No such platform">It has not called, and you have not admitted it.</Empty>;
  }
  const { first_seen_at, last_seen_at } = platform;
  return (
    <Page
      title={platform.name ?? platform.platform}
      actions={mayAct && <PlatformSteps platform={platform} />}
    >
      <Card>
        <Facts
          rows={[
            ["State", <Badge key="state" word={platform.status} />],
            ["Domain", platform.platform],
            ["Profile", platform.profile_url],
            ["Note", platform.note],
            ["First seen", first_seen_at && <Time key="first" at={first_seen_at} />],
            ["Last seen", last_seen_at && <Time key="last" at={last_seen_at} />],
            ["Decisions, last 30 days", platform.recent_decisions.toLocaleString()],
          ]}
        />
        {platform.profile_url !== null && (
          <Link
            to="/$site/orders"
            params={{ site }}
            search={{ agent_id: platform.profile_url }}
            className="link self-start text-sm"
          >
            Show its orders
          </Link>
        )}
      </Card>
      {mayAct && <CredentialsCard platform={platform} />}
    </Page>
  );
}
