import { type OpenAPIHono, z } from "@hono/zod-openapi";
import {
  changeRole,
  removeFromSite,
  removePerson,
  renewLink,
} from "../../actions/people/change-person.js";
import { type Invitation, type Invited, invitePerson } from "../../actions/people/invite-person.js";
import type { HandedLink } from "../../actions/people/links.js";
import { listPeople, type PersonWithAccess, roleAt } from "../../actions/people/read-people.js";
import type { Context } from "../../context.js";
import { addressOf, EVERY_SITE, PERSON_NAME_CHARS_MAX } from "../../domain/access/people/person.js";
import { hasRole, type Principal, ROLES } from "../../domain/access/principal.js";
import { isoTime } from "../../infra/clock.js";
import { NEXT_MAIL_S } from "../../infra/mail/mail-limit.js";
import { line, mailAddress } from "../server/fields.js";
import { requireOk } from "../server/require-ok.js";
import { json, SiteKeyHash, Timestamp, timeOrNull } from "../server/schemas.js";
import { strict } from "../server/validation.js";
import { type AdminEnv, requireConfirmed, requireRole, requireSite } from "./access.js";
import { adminRoute, pageOf, siteRoute } from "./describe.js";
import { PageQuery, pageBody, SiteParams } from "./schemas.js";

const SITES_MAX = 100;
const tags = ["People"];

const Name = line(PERSON_NAME_CHARS_MAX);
const SITE_ROLES = ["owner", "reviewer", "auditor"] as const;

const Grant = z.object({
  site_key_hash: SiteKeyHash.nullable().openapi({ description: "null: every site." }),
  role: z.enum(ROLES),
});

const PersonBody = z
  .object({
    person_id: z.string(),
    name: z.string(),
    email: z.string().nullable().openapi({
      description:
        "Only owners and operators see it. Only operators see that of somebody with a role at all sites.",
    }),
    status: z.enum(["invited", "joined"]),
    role: z.enum(ROLES).optional().openapi({ description: "The role at the site of the path." }),
    access: z.array(Grant).optional().openapi({ description: "Only in lists of all people." }),
    created_at: Timestamp,
    joined_at: Timestamp.nullable(),
    passkeys_unusable: z.boolean().optional().openapi({
      description:
        "true: all passkeys of the person belong to a host that the service had before. Only for readers who see the address.",
    }),
  })
  .openapi("Person");

const LinkBody = z
  .object({
    expires_at: Timestamp,
    url: z.string().optional().openapi({
      description:
        "Give it to the person. The first person who opens it is signed in. Absent if it was mailed.",
    }),
    mail_problem: z.string().optional().openapi({ description: "Why it could not be mailed." }),
  })
  .openapi("PersonLink");

const InvitedBody = PersonBody.omit({ passkeys_unusable: true })
  .extend({
    link: LinkBody.optional().openapi({ description: "Absent for somebody who has joined." }),
  })
  .openapi("InvitedPerson");

const renderLink = ({ expiresAt, url, mailProblem }: HandedLink): z.infer<typeof LinkBody> => ({
  expires_at: isoTime(expiresAt),
  ...(url === undefined ? {} : { url }),
  ...(mailProblem === undefined ? {} : { mail_problem: mailProblem }),
});

/**
 * People of a site read each other's names; addresses are for those who invite. Somebody with a role at all sites was invited by the
 * operator, so only operators read that address.
 */
function mayReadAddress(reader: Principal, access: PersonWithAccess["access"]): boolean {
  const isEverywhere = access.some(({ site }) => site === EVERY_SITE);
  return hasRole(reader, isEverywhere ? "operator" : "owner");
}

const renderFor =
  (reader: Principal, siteKeyHash: string | null) =>
  ({ person, access, isStranded }: PersonWithAccess): z.infer<typeof PersonBody> => ({
    person_id: person.personId,
    name: person.name,
    email: mayReadAddress(reader, access) ? addressOf(person) : null,
    status: person.joinedAt === null ? "invited" : "joined",
    ...(siteKeyHash === null
      ? {
          access: access.map(({ site, role }) => ({
            site_key_hash: site === EVERY_SITE ? null : site,
            role,
          })),
        }
      : { role: roleAt(access, siteKeyHash) as (typeof ROLES)[number] }),
    created_at: isoTime(person.createdAt),
    joined_at: timeOrNull(person.joinedAt),
    ...(mayReadAddress(reader, access) ? { passkeys_unusable: isStranded } : {}),
  });

const NEW_PERSON = { name: Name, email: mailAddress.optional() };
const PERSON_NOTE =
  "The invitation is sent by email if there is an address and a mail server. Otherwise the answer contains a " +
  "link for you to hand over. Needs a recent confirmation by passkey, unless a token calls.";

const invite = adminRoute("post", "/v1/admin/people", {
  tags,
  summary: "Invite a person",
  description: `For all sites (an operator or an auditor) or for the sites in \`sites\`. ${PERSON_NOTE}`,
  body: strict({
    ...NEW_PERSON,
    role: z.enum(ROLES),
    sites: z.array(SiteKeyHash).min(1).max(SITES_MAX).optional(),
  }),
  created: json(InvitedBody, "The person, and how they get in."),
  errors: ["conflict"],
});

const list = adminRoute("get", "/v1/admin/people", {
  tags,
  summary: "List people",
  query: PageQuery,
  answer: pageOf(PersonBody, "The people, in order of invitation."),
  errors: ["forbidden"],
});

const PersonParams = z.object({ person_id: z.string().max(64) });
const SitePersonParams = SiteParams.extend(PersonParams.shape);

const remove = adminRoute("delete", "/v1/admin/people/{person_id}", {
  tags,
  summary: "Remove a person from all sites",
  description: "Signs the person out on every node at once. Records keep naming the person's id.",
  params: PersonParams,
  noContent: "The person was removed.",
});

const ResetBody = strict({
  reset: z.boolean().default(false).openapi({
    description: "Also sign the person out everywhere and delete their passkeys.",
  }),
});

const newLink = adminRoute("post", "/v1/admin/people/{person_id}/links", {
  tags,
  summary: "Create a sign-in link for a person",
  description:
    "For somebody who lost the invitation or a device. Only for people with no more rights than you. If somebody else held the " +
    "last link of a person whose address is not proven, the person is signed out, as with `reset`.",
  params: PersonParams,
  body: ResetBody,
  created: json(LinkBody, "The link, unless it was mailed."),
});

const inviteToSite = siteRoute("post", "/people", {
  tags,
  summary: "Invite a person to a site",
  description: PERSON_NOTE,
  body: strict({ ...NEW_PERSON, role: z.enum(SITE_ROLES) }),
  created: json(InvitedBody, "The person, and how they get in."),
  errors: ["conflict"],
});

const listOfSite = siteRoute("get", "/people", {
  tags,
  summary: "List the people of a site",
  query: PageQuery,
  answer: pageOf(PersonBody, "The people, in order of invitation."),
});

const change = siteRoute("put", "/people/{person_id}/role", {
  tags,
  summary: "Change a person's role at a site",
  params: SitePersonParams,
  body: strict({ role: z.enum(SITE_ROLES) }),
  noContent: "The role was changed, from the person's next request on.",
});

const removeOfSite = siteRoute("delete", "/people/{person_id}", {
  tags,
  summary: "Remove a person from a site",
  description: "Somebody without any other site is signed out and removed for good.",
  params: SitePersonParams,
  noContent: "The person was removed.",
});

export function peopleRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  const invited = (reader: Principal, siteKeyHash: string | null, { person, link }: Invited) => {
    const {
      role: _role,
      access: _access,
      passkeys_unusable: _unusable,
      ...body
    } = renderFor(
      reader,
      siteKeyHash,
    )({
      person,
      access: [],
      isStranded: false,
    });
    return link === undefined ? body : { ...body, link: renderLink(link) };
  };

  app.openapi(invite, async (c) => {
    const by = requireRole(c, "operator");
    requireConfirmed(context, c);
    const { name, email, role, sites = null } = c.req.valid("json");
    const invitation: Invitation = { name, email, role, sites };
    return c.json(
      invited(by, null, requireOk(await invitePerson(context, by, invitation), NEXT_MAIL_S)),
      201,
    );
  });

  app.openapi(list, async (c) => {
    const reader = requireRole(c, "operator");
    const page = await listPeople(context, null, c.req.valid("query"));
    return c.json(pageBody(page, renderFor(reader, null)), 200);
  });

  app.openapi(remove, async (c) => {
    const by = requireRole(c, "operator");
    requireConfirmed(context, c);
    requireOk(await removePerson(context, by, c.req.valid("param").person_id));
    return c.body(null, 204);
  });

  app.openapi(newLink, async (c) => {
    const by = requireRole(c, "owner");
    requireConfirmed(context, c);
    const { person_id } = c.req.valid("param");
    const { link } = requireOk(
      await renewLink(context, by, person_id, c.req.valid("json")),
      NEXT_MAIL_S,
    );
    return c.json(renderLink(link), 201);
  });

  app.openapi(inviteToSite, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    requireConfirmed(context, c);
    const by = c.get("principal");
    const { name, email, role } = c.req.valid("json");
    const invitation: Invitation = { name, email, role, sites: [siteKeyHash] };
    const created = requireOk(await invitePerson(context, by, invitation), NEXT_MAIL_S);
    return c.json(invited(by, null, created), 201);
  });

  app.openapi(listOfSite, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "auditor");
    const page = await listPeople(context, siteKeyHash, c.req.valid("query"));
    return c.json(pageBody(page, renderFor(c.get("principal"), siteKeyHash)), 200);
  });

  app.openapi(change, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    requireConfirmed(context, c);
    const personId = c.req.valid("param").person_id;
    const roleChange = { personId, site: siteKeyHash, role: c.req.valid("json").role };
    requireOk(await changeRole(context, c.get("principal"), roleChange));
    return c.body(null, 204);
  });

  app.openapi(removeOfSite, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    requireConfirmed(context, c);
    const { person_id } = c.req.valid("param");
    requireOk(await removeFromSite(context, c.get("principal"), person_id, siteKeyHash));
    return c.body(null, 204);
  });
}
