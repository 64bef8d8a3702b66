import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { acceptClock } from "../../actions/installation/accept-clock.js";
import type { Context } from "../../context.js";
import { isoTime } from "../../infra/clock.js";
import { line } from "../server/fields.js";
import { Problem } from "../server/problem.js";
import { json, Timestamp } from "../server/schemas.js";
import { strict } from "../server/validation.js";
import { type AdminEnv, actorOf, requireConfirmed, requireRole } from "./access.js";
import { adminRoute } from "./describe.js";

const REASON_CHARS_MAX = 200;

const accept = adminRoute("post", "/v1/admin/clock/accept", {
  tags: ["Clock"],
  summary: "Accept the current time",
  description:
    "Nothing is approved while the clock shows an earlier time than before. If the clock was ahead and " +
    "is now right, accept the current time. The installation's log records who did this and why.",
  body: strict({
    reason: line(REASON_CHARS_MAX).openapi({
      description: "Why. It stays in the log permanently.",
    }),
  }),
  answer: json(
    z.object({
      accepted_at: Timestamp,
      last_seen_at: Timestamp.openapi({ description: "The later time that is now ignored." }),
    }),
    "The time was accepted.",
  ),
  errors: ["conflict"],
});

export function clockRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(accept, async (c) => {
    requireRole(c, "operator");
    requireConfirmed(context, c);
    const { reason } = c.req.valid("json");
    const accepted = await acceptClock(context, { reason, actor: actorOf(c) });
    if (!accepted.ok) throw new Problem("conflict", { message: accepted.detail });
    const { now, lastSeenAt } = accepted.value;
    return c.json({ accepted_at: isoTime(now), last_seen_at: isoTime(lastSeenAt) }, 200);
  });
}
