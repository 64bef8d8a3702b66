import type { RequestListener } from "node:http";
import { parseJson, type ReasonCode, readBeacon } from "@gatehouse/protocol";
import { recordBeacon } from "../../actions/visits/record-visits.js";
import type { Context } from "../../context.js";
import { DatabaseUnavailableError } from "../../infra/db/database.js";
import type { Caller } from "../server/admission/caller.js";
import { collectBody } from "../server/body.js";
import { type Arrival, FrontAnswers, type Reply } from "../server/front-answers.js";
import { isJsonType, isPlainEncoding } from "../server/json-type.js";
import { Problem } from "../server/problem.js";

export const BEACON_PATH = "/v1/discovery/ingest";
const BODY_BYTES_MAX = 16 * 1024;
const RETRY_AFTER_S = 5;
/** The rest of the body is not read, so the connection cannot carry another request. */
const UNREAD_REST = ["connection", "close"];
const TAKEN: Reply = Object.freeze({ status: 204 });

/** Page loads as pages tell of them, answered in front of the router: they are many and small. */
export class BeaconAnswers {
  private readonly context: Context;
  private readonly answers: FrontAnswers;

  constructor(context: Context) {
    this.context = context;
    this.answers = new FrontAnswers({ name: "visits", cors: "open", logged: "debug" }, context);
  }

  listener(next: RequestListener): RequestListener {
    return (request, response) => {
      if (request.method !== "POST" || request.url !== BEACON_PATH) return next(request, response);
      const incoming = this.answers.arrival(request, response);
      const refusal = this.refusal(incoming);
      if (refusal !== undefined) this.answers.send(incoming, refusal);
      else this.readBody(incoming);
    };
  }

  /** What can be refused by its head alone. */
  private refusal({ request, requestId, caller }: Arrival): Reply | undefined {
    const waitMs = this.context.admission.takeCostly(caller);
    if (waitMs > 0) return this.limited(requestId, waitMs, UNREAD_REST);
    const { "content-type": type = "", "content-encoding": encoding } = request.headers;
    const plain = isPlainEncoding(encoding);
    if (plain && isJsonType(type)) return undefined;
    return this.problem("unsupported_media_type", requestId, undefined, UNREAD_REST);
  }

  private readBody(incoming: Arrival): void {
    const { request, requestId, caller } = incoming;
    collectBody(this.context, request, BODY_BYTES_MAX, (body) => {
      if (!body.ok) {
        const said = `Refused: ${body.detail}.`;
        this.answers.send(incoming, this.problem(body.reason, requestId, said, UNREAD_REST));
        return;
      }
      this.answer(body.value, caller, requestId)
        .catch((error: unknown) => this.failed(error, requestId))
        .then((reply) => this.answers.send(incoming, reply));
    });
  }

  private async answer(bytes: Uint8Array, caller: Caller, requestId: string): Promise<Reply> {
    const { admission, liveSites } = this.context;
    const parsed = parseJson(bytes);
    if (!parsed.ok) {
      const said = `The body is not strict JSON: ${parsed.detail}.`;
      return this.problem("invalid_request", requestId, said);
    }
    const beacon = readBeacon(parsed.value);
    if (!beacon.ok) {
      return this.problem("invalid_request", requestId, `Not a beacon: ${beacon.detail}.`);
    }
    const { siteKey } = beacon.value;
    const live = liveSites.ready(siteKey) ?? (await liveSites.find(siteKey));
    // The key is what the contract asks for; its hash names other routes.
    if (live?.site.siteKey !== siteKey) {
      return this.problem("not_found", requestId, "No site has this key.");
    }
    const waitMs = admission.takeOfSite(caller, "beacons", live.site.siteKeyHash);
    if (waitMs > 0) return this.limited(requestId, waitMs);
    await recordBeacon(this.context, live.site, beacon.value);
    return TAKEN;
  }

  private limited(requestId: string, waitMs: number, more: readonly string[] = []): Reply {
    const wait = String(Math.ceil(waitMs / 1000));
    return this.problem("rate_limited", requestId, undefined, ["retry-after", wait, ...more]);
  }

  private problem(
    code: ReasonCode,
    requestId: string,
    message?: string,
    headers: readonly string[] = [],
  ): Reply {
    const problem = new Problem(code, { message });
    const body = JSON.stringify(problem.body(requestId, this.context.config.baseUrl));
    return { status: problem.status, body, headers };
  }

  /** What is not durable is not acknowledged. */
  private failed(error: unknown, requestId: string): Reply {
    this.context.log.error({ request_id: requestId, error }, "visits.failed");
    if (!(error instanceof DatabaseUnavailableError)) {
      return this.problem("internal_error", requestId);
    }
    const retry = ["retry-after", String(RETRY_AFTER_S)];
    return this.problem("unavailable", requestId, error.advice, retry);
  }
}
