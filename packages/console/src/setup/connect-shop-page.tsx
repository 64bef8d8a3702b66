import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { type Api, call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { sitesQuery } from "../layout/sites.js";
import { Button } from "../ui/button.js";
import { Loading } from "../ui/loading.js";
import { Failure, Notice } from "../ui/notice.js";
import { Card, Page } from "../ui/page.js";

const withoutWww = (host: string) => host.replace(/^www\./, "");

/** What only the shop system that made the link can answer. */
const CHALLENGE = /^[\w-]{43}$/;

/** Where the browser goes back to; undefined unless it is the shop's own domain. */
function returnTo(domain: string, text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isLocal = /(^|\.)localhost$|^127\.0\.0\.1$/.test(url.hostname);
  const isSafe = url.protocol === "https:" || (url.protocol === "http:" && isLocal);
  return isSafe && withoutWww(url.host) === withoutWww(domain) ? url : undefined;
}

/** Asks the owner whether a shop system may be connected, and sends the browser back to it with a code. */
export function ConnectShopPage() {
  const {
    domain = "",
    return: back = "",
    state = "",
    challenge = "",
  } = useSearch({
    strict: false,
  });
  const sites = useQuery(sitesQuery);
  const target = returnTo(domain, back);
  const site = sites.data?.find((one) => withoutWww(one.domain) === withoutWww(domain));
  const connect = useSave(async () => {
    if (site === undefined || target === undefined) return;
    const at = `/v1/admin/sites/${site.site_key_hash}/shop-connection/codes`;
    const { code } = await call<Api["ShopConnectionCode"]>("POST", at, { challenge });
    target.searchParams.set("code", code);
    target.searchParams.set("state", state);
    window.location.assign(target);
  });
  if (sites.isError) return <Failure error={sites.error} />;
  if (!sites.isSuccess) return <Loading />;
  if (target === undefined || !CHALLENGE.test(challenge)) {
    return (
      <Page title="Connect a shop">
        <Notice bad>
          This link is not complete, or does not lead back to {domain || "the shop"}. Start again in
          your shop system.
        </Notice>
      </Page>
    );
  }
  if (site === undefined) {
    return (
      <Page title="Connect a shop">
        <Notice>
          {domain} is not in this Gatehouse yet, or you do not have access to it.{" "}
          <Link to="/new" className="link">
            Add the site
          </Link>
          , then start again in your shop system.
        </Notice>
      </Page>
    );
  }
  return (
    <Page title="Connect a shop">
      <Card title={`Connect ${site.domain}?`}>
        <p className="max-w-prose text-sm">
          {target.host} wants to be the shop system of {site.name}. If that website has a shop, the
          shop then decides prices and stock. It receives the orders of agents with the buyers&apos;
          addresses, and can capture and refund the payments of these orders. If a shop system is
          connected already, it is replaced.
        </p>
        <div className="flex flex-wrap gap-2">
          <Button kind="act" disabled={connect.isPending} onClick={() => connect.mutate()}>
            Connect
          </Button>
          <Button onClick={() => window.location.assign(target.origin)}>Cancel</Button>
        </div>
        {connect.isError && <Failure error={connect.error} />}
      </Card>
    </Page>
  );
}
