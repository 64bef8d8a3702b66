import { isJsonObject, ok, parseJson, type Result, refuse } from "@gatehouse/protocol";
import type { ClientSecret } from "../../actions/platforms/prove-credential.js";

/** The errors of RFC 6749 section 5.2 that happen here. */
export type OAuthFault = "invalid_request" | "invalid_client" | "unsupported_grant_type";

/** A request for an access token as it came. */
interface ReceivedTokenRequest {
  readonly authorization: string | undefined;
  /** Its content type. */
  readonly type: string | undefined;
  readonly bytes: Uint8Array;
}

type Parameters = ReadonlyMap<string, string>;

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;
const JSON_TYPE = /^application\/json\s*(?:;|$)/i;
const BASIC = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i;

const wrong = (detail: string) => refuse("invalid_request", detail);

/** The parameters of a body. Each may be there once (RFC 6749 section 3.2); unknown ones are ignored. */
function parametersIn(
  type: string | undefined,
  bytes: Uint8Array,
): Result<Parameters, "invalid_request"> {
  if (type !== undefined && FORM_TYPE.test(type)) {
    const pairs = [...new URLSearchParams(new TextDecoder().decode(bytes))];
    const parameters = new Map(pairs);
    if (parameters.size < pairs.length) return wrong("A parameter appears twice.");
    return ok(parameters);
  }
  if (type === undefined || !JSON_TYPE.test(type)) {
    return wrong("Send application/x-www-form-urlencoded or application/json.");
  }
  const parsed = parseJson(bytes);
  if (!parsed.ok || !isJsonObject(parsed.value)) return wrong("The body is not a JSON object.");
  const texts = Object.entries(parsed.value).filter(([, value]) => typeof value === "string");
  return ok(new Map(texts as [string, string][]));
}

/** Client id and secret are form-encoded inside of Basic (RFC 6749 section 2.3.1). */
function basicClient(authorization: string): ClientSecret | undefined {
  const encoded = BASIC.exec(authorization)?.[1] ?? "";
  const [clientId = "", ...rest] = Buffer.from(encoded, "base64").toString("utf8").split(":");
  if (clientId === "" || rest.length !== 1) return undefined;
  try {
    return {
      clientId: decodeURIComponent(clientId),
      secret: decodeURIComponent(rest[0] as string),
    };
  } catch {
    return undefined;
  }
}

/** How the client authenticates: by Basic, or by parameters of the body. */
function clientIn(
  authorization: string | undefined,
  parameters: Parameters,
): Result<ClientSecret, OAuthFault> {
  const named = parameters.get("client_id");
  const secret = parameters.get("client_secret");
  if (authorization === undefined) {
    if (named === undefined || secret === undefined) {
      return refuse(
        "invalid_client",
        "Send client_id and client_secret, or use Basic authentication.",
      );
    }
    return ok({ clientId: named, secret });
  }
  if (secret !== undefined) return wrong("Use Basic authentication or the body, not both.");
  const client = basicClient(authorization);
  if (client === undefined || (named !== undefined && named !== client.clientId)) {
    return refuse("invalid_client", "The Authorization header is not valid Basic authentication.");
  }
  return ok(client);
}

/** Reads a request for an access token, by form or by JSON. */
export function readTokenRequest({
  authorization,
  type,
  bytes,
}: ReceivedTokenRequest): Result<ClientSecret, OAuthFault> {
  const parameters = parametersIn(type, bytes);
  if (!parameters.ok) return parameters;
  const grant = parameters.value.get("grant_type");
  if (grant === undefined) return wrong("Send grant_type=client_credentials.");
  if (grant !== "client_credentials") {
    return refuse("unsupported_grant_type", "Only client_credentials is supported.");
  }
  return clientIn(authorization, parameters.value);
}
