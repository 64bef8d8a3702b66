import { answerOf, type TestServer } from "./harness.ts";

export const SESSION = "/v1/console/session";

/** A browser, as far as sessions go. */
export function browser(server: TestServer) {
  let cookie: string | undefined;
  const own = { origin: new URL(server.context.config.baseUrl).origin, "x-gatehouse-console": "1" };
  async function ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = own,
  ) {
    const response = await fetch(server.url + path, {
      method,
      headers: {
        ...headers,
        ...(cookie === undefined ? {} : { cookie }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const set = response.headers.get("set-cookie");
    if (set !== null) cookie = set.split(";")[0];
    return { ...(await answerOf(response)), set };
  }
  return {
    ask,
    own,
    signIn: (given: object) => ask("POST", SESSION, given),
    get cookie() {
      return cookie;
    },
    set cookie(value: string | undefined) {
      cookie = value;
    },
  };
}
