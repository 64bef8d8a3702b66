import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { showDeclines, WAITS_SHOWN_MAX } from "../../actions/payments/show-declines.js";
import type { Context } from "../../context.js";
import { WAIT_KINDS } from "../../domain/declines/decline.js";
import { isoTime } from "../../infra/clock.js";
import { json, Timestamp, timeOrNull } from "../server/schemas.js";
import { type AdminEnv, requireSite } from "./access.js";
import { siteRoute } from "./describe.js";

const DeclinesBody = z
  .object({
    window_seconds: z.int().openapi({ description: "The time over which attempts are counted." }),
    attempts: z
      .int()
      .openapi({ description: "Payments that the payment provider answered in that time." }),
    declined: z.int().openapi({ description: "How many of them were declined." }),
    unresolved: z.int().openapi({
      description: "Payments whose outcome is not known yet, no matter when they started.",
    }),
    unresolved_since: Timestamp.nullable().openapi({
      description: "When the oldest of them started.",
    }),
    hand_off_until: Timestamp.nullable().openapi({
      description: "Until then, platforms that are not admitted cannot pay by themselves.",
    }),
    waiting: z
      .array(
        z.object({
          kind: z.enum(WAIT_KINDS).exclude(["site"]).openapi({
            description:
              "Who has to wait: a caller, its address, one of its payment methods, or one of its buyers.",
          }),
          identity: z.string().nullable().openapi({
            description: "The agent or platform. null for an address, which is not stored.",
          }),
          until: Timestamp,
          times: z.int().openapi({ description: "How many times in a row it had to wait." }),
        }),
      )
      .openapi({ description: `Longest wait first, at most ${WAITS_SHOWN_MAX}.` }),
  })
  .openapi("Declines");

const show = siteRoute("get", "/declines", {
  tags: ["Sites"],
  summary: "Show declined payments and who has to wait",
  answer: json(DeclinesBody, "The declined payments and the current waits."),
});

export function declineRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(show, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "auditor");
    const declines = await showDeclines(context, siteKeyHash);
    const { open, handOffUntil } = declines;
    const body = {
      window_seconds: declines.windowMs / 1000,
      attempts: declines.ended,
      declined: declines.declined,
      unresolved: open.count,
      unresolved_since: timeOrNull(open.since),
      hand_off_until: handOffUntil === undefined ? null : isoTime(handOffUntil),
      waiting: declines.waits.map(({ kind, identity, until, times }) => {
        return { kind, identity, until: isoTime(until), times };
      }),
    };
    return c.json(body, 200);
  });
}
