import { type OpenAPIHono, z } from "@hono/zod-openapi";
import {
  type ColleagueSession,
  endSessionOf,
  listSessionsOf,
} from "../../actions/people/sessions-of.js";
import type { Context } from "../../context.js";
import { isoTime } from "../../infra/clock.js";
import { requireOk } from "../server/require-ok.js";
import { json, Timestamp, timeOrNull } from "../server/schemas.js";
import { type AdminEnv, requireConfirmed, requireRole } from "./access.js";
import { adminRoute } from "./describe.js";

const tags = ["People"];
const NOTE =
  "Only for people with no more rights than you: a session is for all sites of a person.";

const SessionBody = z
  .object({
    session_id: z.string(),
    device: z.string(),
    created_at: Timestamp,
    last_used_at: Timestamp.nullable(),
  })
  .openapi("PersonSession");

const PersonParams = z.object({ person_id: z.string().max(64) });

const list = adminRoute("get", "/v1/admin/people/{person_id}/sessions", {
  tags,
  summary: "List where a person is signed in",
  description: NOTE,
  params: PersonParams,
  answer: json(z.object({ items: z.array(SessionBody) }), "The sessions, newest first."),
  errors: ["forbidden"],
});

const end = adminRoute("delete", "/v1/admin/people/{person_id}/sessions/{session_id}", {
  tags,
  summary: "Sign a person out of one browser",
  description: `Takes effect at the next request, on every node. ${NOTE}`,
  params: PersonParams.extend({ session_id: z.string().max(64) }),
  noContent: "The session has ended.",
});

const render = (session: ColleagueSession): z.infer<typeof SessionBody> => ({
  session_id: session.sessionId,
  device: session.device,
  created_at: isoTime(session.createdAt),
  last_used_at: timeOrNull(session.lastUsedAt),
});

/** Sessions of colleagues. People's own are at `/v1/console`. */
export function personSessionRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(list, async (c) => {
    const by = requireRole(c, "owner");
    const { person_id } = c.req.valid("param");
    const sessions = requireOk(await listSessionsOf(context, by, person_id));
    return c.json({ items: sessions.map(render) }, 200);
  });

  app.openapi(end, async (c) => {
    const by = requireRole(c, "owner");
    requireConfirmed(context, c);
    const { person_id, session_id } = c.req.valid("param");
    requireOk(await endSessionOf(context, by, person_id, session_id));
    return c.body(null, 204);
  });
}
