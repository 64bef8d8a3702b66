import type { RequestListener } from "node:http";
import { MANDATE_BYTES_MAX, REQUEST_ID_HEADER } from "@gatehouse/protocol";
import { deletedSite, replayDeleted } from "../../actions/audit/replay-deleted.js";
import { submitMandate } from "../../actions/mandates/submit-mandate.js";
import type { Context } from "../../context.js";
import { findSite } from "../../domain/sites/find.js";
import type { Site } from "../../domain/sites/site.js";
import { readJsonBytes } from "../server/body.js";
import { type Arrival, FrontAnswers, type Reply } from "../server/front-answers.js";
import { answerOf, type MandateAnswer } from "../server/mandate-answer.js";
import { isPlainTarget } from "../server/path.js";
import { bodyFor, echoedId, parseBody, refusedBy, requirePassage } from "./answering.js";
import { wantsReceipt, withReceipt } from "./receipts.js";
import { MandateRefusal } from "./refusal.js";

const PATH = /^\/v1\/m\/([A-Za-z0-9_-]+)\/mandate(?:\?|$)/;

/** What came with a mandate, for its receipt. */
interface Read {
  bytes: Uint8Array | null;
}

const headerOf = (value: string | string[] | undefined) =>
  typeof value === "string" ? value : undefined;

/** Mandates, answered in front of the router: a quarter of what one costs would be the router's. */
export class MandateAnswers {
  private readonly context: Context;
  private readonly answers: FrontAnswers;

  constructor(context: Context) {
    this.context = context;
    this.answers = new FrontAnswers({ name: "mandates", cors: "echo", logged: "info" }, context);
  }

  listener(next: RequestListener): RequestListener {
    return (request, response) => {
      const { method, url = "" } = request;
      const siteKey = method === "POST" && isPlainTarget(url) ? PATH.exec(url)?.[1] : undefined;
      if (siteKey === undefined) return next(request, response);
      const arrival = this.answers.arrival(request, response);
      this.replyTo(arrival, siteKey).then((reply) => this.answers.send(arrival, reply));
    };
  }

  private async replyTo(arrival: Arrival, siteKey: string): Promise<Reply> {
    const { headers: sent } = arrival.request;
    const read: Read = { bytes: null };
    let answer: MandateAnswer;
    try {
      answer = await this.answer(arrival, siteKey, read);
    } catch (error) {
      answer = refusedBy(this.context, error, arrival.requestId);
    }
    try {
      const asked = { siteKey, bytes: read.bytes };
      if (wantsReceipt(headerOf(sent.prefer)))
        answer = await withReceipt(this.context, asked, answer);
    } catch (error) {
      // What was decided stays so, and is told to whoever sends the same bytes again.
      answer = refusedBy(this.context, error, arrival.requestId);
    }
    const { status, body, headers } = answer;
    const all = { ...echoedId(headerOf(sent[REQUEST_ID_HEADER.toLowerCase()])), ...headers };
    return { status, body: JSON.stringify(body), headers: Object.entries(all).flat() };
  }

  private async answer(arrival: Arrival, siteKey: string, read: Read): Promise<MandateAnswer> {
    const { context } = this;
    const { request, requestId, caller } = arrival;
    // Before the site is looked up, so that trying unknown keys costs no reads beyond this rate.
    requirePassage(context, caller);
    const site = await this.siteOf(siteKey);
    const deleted = site === undefined ? await deletedSite(context, siteKey, "key") : undefined;
    if (site === undefined && deleted === undefined) throw new MandateRefusal("site_not_found");
    const bytes = await readJsonBytes(context, request, MANDATE_BYTES_MAX);
    read.bytes = bytes;
    // A decided mandate gets its first answer, even if the site has changed since.
    const submitted =
      site === undefined
        ? await replayDeleted(context, deleted ?? "", parseBody(bytes))
        : await submitMandate(context, site, bodyFor(site, bytes), { requestId, caller });
    if (submitted === undefined) throw new MandateRefusal("site_not_found");
    return answerOf(context.config.baseUrl, submitted);
  }

  /** The site a key names. Nobody is sent away for what is kept: a site may be verified since. */
  private async siteOf(siteKey: string): Promise<Site | undefined> {
    const { db, liveSites } = this.context;
    const kept = liveSites.ready(siteKey) ?? (await liveSites.find(siteKey));
    if (kept?.site.siteKey === siteKey && kept.site.status === "verified") return kept.site;
    return findSite(db, siteKey, "key");
  }
}
