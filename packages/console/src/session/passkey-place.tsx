import { useQuery } from "@tanstack/react-query";
import { Notice } from "../ui/notice.js";
import { canUsePasskeys } from "./confirm.js";
import { waysQuery } from "./session.js";

/**
 * Says where passkeys work, to somebody who cannot use one on this page. `hash`: the part of the address after # that the other
 * page needs too.
 */
export function PasskeyPlace({ hash = "" }: { readonly hash?: string }) {
  const { data: ways } = useQuery(waysQuery);
  const { origin, pathname, search } = window.location;
  if (ways === undefined) return null;
  if (ways.passkey_origin === null) {
    return (
      <Notice>
        Passkeys need a host name, and this service has only an IP address. Ask the operator to set
        GATEHOUSE_BASE_URL to a host name. Until then, sign in with a link or a token.
      </Notice>
    );
  }
  if (ways.passkey_origin !== origin) {
    return (
      <>
        <Notice>Passkeys do not work at this address. Open the console at its host name.</Notice>
        <a
          href={`${ways.passkey_origin}${pathname}${search}${hash}`}
          className="button-act self-start"
        >
          Open {ways.passkey_origin}
        </a>
      </>
    );
  }
  if (canUsePasskeys()) return null;
  return (
    <Notice>This browser does not support passkeys. Update it, or sign in another way.</Notice>
  );
}
