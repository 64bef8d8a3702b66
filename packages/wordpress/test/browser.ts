export const PAGE = "/wp-admin/options-general.php?page=gatehouse";

/** The nonce of a form of the settings page. */
export const nonceOf = (html: string, action: string) =>
  new RegExp(`value="gatehouse_${action}">.*?name="_wpnonce" value="(\\w+)"`, "s").exec(
    html,
  )?.[1] ?? "";

/** A browser's cookies, and forms as a browser sends them. */
export function browser(url: string) {
  const jar = new Map<string, string>();
  const send = async (path: string, form?: Record<string, string>) => {
    const answer = await fetch(url + path, {
      redirect: "manual",
      headers: { cookie: [...jar].map((pair) => pair.join("=")).join("; ") },
      ...(form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) }),
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      jar.set(name, value);
    }
    const location = answer.headers.get("location") ?? "";
    return { status: answer.status, location, text: await answer.text() };
  };
  return {
    send,
    async signIn(who: { log: string; pwd: string }) {
      await send("/wp-login.php");
      await send("/wp-login.php", { ...who, testcookie: "1" });
    },
  };
}
