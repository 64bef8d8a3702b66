import { hash } from "node:crypto";
import { canonicalize, type JsonObject, signMandate } from "@gatehouse/protocol";
import { describe, expect, test } from "vitest";
import { notifyQuestions } from "../../src/actions/questions/notify-questions.ts";
import { QUESTION_KEPT_MS, QUESTIONS_MAX } from "../../src/domain/questions/question.ts";
import { deleteExpiredQuestions, storeQuestion } from "../../src/domain/questions/store.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import { createSite, NOON, TIER_DATABASES } from "../harness.ts";
import { POLICY, submitting } from "../mandates/submitting.ts";
import { from, mcpShop, TRUSTED_PROXY } from "../mcp/asking.ts";
import { selling } from "../selling/selling.ts";

const MINUTE_MS = 60_000;
const MALTA = "Do you deliver to Malta?";

describe.each(TIER_DATABASES)("questions from agents, on %s:", (dialect) => {
  async function open(more: Readonly<Record<string, string>> = {}) {
    const clock = new ManualClock(NOON);
    const limits = { GATEHOUSE_MCP_CALLS_PER_SITE_PER_MINUTE: "6000" };
    const env = { ...TRUSTED_PROXY, ...limits, ...more };
    const shop = await mcpShop({ dialect, env, overrides: { clock } });
    const { server, admin, call, site } = shop;
    await server.context.jobs.stop();
    const ask = async (question: string, address = "192.0.2.1", tool = "get_pricing") => {
      const answer = await call(from(address), tool, { question });
      await server.context.questions.drain();
      return answer;
    };
    const questions = async (query = "", token?: string) =>
      (await server.admin("GET", `${admin}/questions?limit=200${query}`, undefined, token)).body
        .items;
    const answer = (id: string, body: object, token?: string) =>
      server.admin("POST", `${admin}/questions/${id}/answer`, body, token);
    const page = async (accept = "text/html") => {
      const path = `${server.url}/v1/agent/${site.site_key_hash}`;
      return fetch(path, { headers: { accept } });
    };
    const changes = async () => {
      const path = `${admin}/audit/records?limit=200&type=site.changed`;
      const { items } = (await server.admin("GET", path)).body;
      return items.map(({ record }: { record: { change: object } }) => record.change);
    };
    return { ...shop, clock, ask, questions, answer, page, changes };
  }

  test("the owner gets a question once, and whoever asks it again gets the published answer", async () => {
    const shop = await open();
    const { server, admin, site, clock, call, ask, questions, answer, page, changes, rpc } = shop;
    const silent = await call();
    const asked = await ask(MALTA);
    expect(JSON.stringify(asked.body)).toBe(JSON.stringify(silent.body));
    clock.advance(1000);
    await ask("  do you   deliver to MALTA  ");
    await ask(MALTA, "192.0.2.1", "sign_up");
    const [other, malta] = await questions();
    expect(other).toMatchObject({ skill: "sign_up", times_asked: 1 });
    expect(malta).toEqual({
      question_id: malta.question_id,
      skill: "get_pricing",
      question: MALTA,
      asker: { kind: "unsigned", agent_id: null, name: null },
      first_asked_at: "2030-05-17T12:00:00.000Z",
      last_asked_at: "2030-05-17T12:00:01.000Z",
      times_asked: 2,
      state: "new",
      answer: null,
      published: false,
      answered_at: null,
      answered_by: null,
    });

    const says = "Yes, within five days.";
    await answer(malta.question_id, { answer: says });
    expect((await ask(MALTA)).body).toEqual(silent.body);
    const before = await page();
    expect(await before.text()).not.toContain("Malta");
    const published = await answer(malta.question_id, { answer: says, publish: true });
    expect(published.body).toMatchObject({ state: "answered", published: true });
    const { result } = (await ask(MALTA)).body;
    expect(result.structuredContent.answer).toBe(says);
    expect(result.content[0].text).toBe(`${says}\n\n${silent.body.result.content[0].text}`);
    const { tools } = (await rpc("tools/list")).body.result;
    expect(Object.keys(tools[0].outputSchema.properties)).toContain("answer");
    expect((await ask(MALTA, "192.0.2.1", "sign_up")).body.result.structuredContent.answer).toBe(
      undefined,
    );

    const after = await page();
    expect(after.headers.get("etag")).not.toBe(before.headers.get("etag"));
    expect(await after.text()).toContain(
      `<dt><bdi>${MALTA}</bdi></dt>\n<dd><bdi>${says}</bdi></dd>`,
    );
    expect(await (await page("text/markdown")).text()).toContain(
      `  - Question: ${MALTA} Answer: ${says}`,
    );
    const llms = await fetch(`${server.url}/v1/llms/${site.site_key_hash}.txt`);
    expect(await llms.text()).toContain(`- [${MALTA}](https://shop.example.com/prices): ${says}`);

    const path = `${admin}/questions/${malta.question_id}`;
    expect((await server.admin("POST", `${path}/dismiss`, {})).status).toBe(409);
    expect((await server.admin("DELETE", path)).status).toBe(204);
    expect((await ask(MALTA)).body).toEqual(silent.body);
    expect(await (await page()).text()).not.toContain("Malta");
    const answer_digest = hash("sha256", canonicalize({ answer: says, skill: "get_pricing" }));
    const change = { question_id: malta.question_id, skill: "get_pricing", answer_digest };
    const all = await changes();
    expect(all).toContainEqual({ kind: "answer_published", ...change });
    expect(all).toContainEqual({ kind: "answer_withdrawn", ...change });
    const log = await server.context.db.all<{ text: string }>("SELECT text FROM audit_records");
    expect(JSON.stringify(log)).not.toMatch(/malta|five days/i);
  });

  test("hostile text is stored on one line and shown as text", async () => {
    const { ask, questions, answer, page } = await open();
    const hostile =
      '<script>alert(1)</script>\u202egpj.\u0007\n</dt></dl>"><img src=x onerror=alert(2)> [x](javascript:alert(3)) \u{e0041}';
    await ask(hostile);
    await ask(" \u202e\u200b ");
    const [stored, ...others] = await questions();
    expect(others).toEqual([]);
    expect(stored.question).toBe(
      '<script>alert(1)</script>gpj. </dt></dl>"><img src=x onerror=alert(2)> [x](javascript:alert(3))',
    );
    const says = "<b>No</b> [link](javascript:alert(4))";
    await answer(stored.question_id, { answer: says, publish: true });
    const { structuredContent } = (await ask(hostile)).body.result;
    expect(structuredContent.answer).toBe(says);
    const html = await (await page()).text();
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(html).not.toMatch(/<script>|<img|<b>No|\u202e/);
    const markdown = await (await page("text/markdown")).text();
    expect(markdown).not.toMatch(/<script>|<img|\]\(javascript:/);
  });

  test("one address, and all addresses together, can store only so many in a minute", async () => {
    const { clock, ask, questions } = await open();
    for (let n = 0; n < 15; n++) expect((await ask(`Question ${n}?`)).status).toBe(200);
    expect(await questions()).toHaveLength(10);
    for (let n = 0; n < 60; n++) await ask(`From elsewhere ${n}?`, `198.51.100.${n}`);
    expect(await questions()).toHaveLength(60);
    clock.advance(MINUTE_MS);
    await ask("A minute later?");
    expect((await questions())[0].question).toBe("A minute later?");
  });

  test("a full site drops dismissed questions first, and old ones are deleted", async () => {
    const { server, admin, site, clock, ask, questions } = await open();
    await ask("Dismissed");
    const [{ question_id }] = await questions();
    const dismiss = (body: object) =>
      server.admin("POST", `${admin}/questions/${question_id}/dismiss`, body);
    expect((await dismiss({})).body.state).toBe("dismissed");
    expect((await dismiss({ undo: true })).body.state).toBe("new");
    await dismiss({});
    const { db } = server.context;
    await db.transaction(async (tx) => {
      for (let n = 1; n < QUESTIONS_MAX; n++) {
        const asked = { siteKeyHash: site.site_key_hash, skill: "get_pricing", askedAt: NOON };
        const asker = { askerId: null, askerName: null };
        await storeQuestion(tx, { ...asked, ...asker, question: `Old ${n}` }, `qst_${n}`);
      }
    });
    clock.advance(MINUTE_MS);
    await ask("One more");
    const rows = await db.all<{ question: string }>("SELECT question FROM questions");
    const texts = rows.map(({ question }) => question);
    expect(texts).toHaveLength(QUESTIONS_MAX);
    expect([texts.includes("One more"), texts.includes("Dismissed")]).toEqual([true, false]);
    await db.transaction((tx) => deleteExpiredQuestions(tx, NOON + MINUTE_MS));
    expect((await questions()).map((one: { question: string }) => one.question)).toEqual([
      "One more",
    ]);
    expect(QUESTION_KEPT_MS).toBe(90 * 86_400_000);
    await server.admin("DELETE", admin);
    expect(await db.all("SELECT question_id FROM questions")).toEqual([]);
  });

  test("the owner gets one notification with a count, and the next one 15 minutes later", async () => {
    const { server, admin, clock, ask, questions } = await open();
    const webhook_url = "https://hooks.example.com/";
    await server.admin("PUT", `${admin}/notifications`, { webhook_url });
    const notify = () => notifyQuestions(server.context, () => false);
    const events = async () => {
      const rows = await server.context.db.all<{ body: string }>(
        "SELECT body FROM outbox WHERE topic = 'questions.asked' ORDER BY created_at",
      );
      return rows.map(({ body }) => JSON.parse(body).questions);
    };
    const console_url = `${server.context.config.baseUrl}/console/shop.example.com/questions`;
    await ask("One?");
    await ask("Two?");
    await notify();
    expect(await events()).toEqual([{ count: 2, console_url }]);
    await ask("Three?");
    await ask("One?");
    await notify();
    expect(await events()).toHaveLength(1);
    clock.advance(15 * MINUTE_MS);
    await notify();
    // One question has a page of its own.
    const three = (await questions()).find(
      ({ question }: { question: string }) => question === "Three?",
    );
    const own = `${console_url}/${three.question_id}`;
    expect((await events())[1]).toEqual({ count: 1, console_url: own });
    await server.admin("PUT", `${admin}/notifications`, { questions: false });
    await ask("Four?");
    clock.advance(15 * MINUTE_MS);
    await notify();
    await server.admin("PUT", `${admin}/notifications`, { questions: true });
    await notify();
    expect(await events()).toHaveLength(2);
  });

  test("auditors read, reviewers answer, owners delete, and other sites see nothing", async () => {
    const { server, admin, site, ask, questions, answer } = await open();
    await ask(MALTA);
    const [{ question_id: id }] = await questions();
    const token = async (role: string, sites: string[]) =>
      (await server.admin("POST", "/v1/admin/tokens", { name: role, role, sites })).body.token;
    const statusesOf = async (by: string) => {
      const path = `${admin}/questions/${id}`;
      return [
        (await server.admin("GET", path, undefined, by)).status,
        (await server.admin("POST", `${path}/dismiss`, {}, by)).status,
        (await answer(id, { answer: "Yes." }, by)).status,
        (await server.admin("DELETE", path, undefined, by)).status,
      ];
    };
    const here = [site.site_key_hash];
    expect(await statusesOf(await token("auditor", here))).toEqual([200, 403, 403, 403]);
    expect(await statusesOf(await token("reviewer", here))).toEqual([200, 200, 200, 403]);
    expect(await statusesOf(await token("owner", here))).toEqual([200, 409, 200, 204]);
    const other = await createSite(server, "other.example.com");
    const stranger = await token("owner", [other.site_key_hash]);
    expect(await statusesOf(stranger)).toEqual([404, 404, 404, 404]);
  });

  test("a question in a signed mandate names the agent that asked", async () => {
    const { server } = await open();
    const at = submitting(server);
    const shop = await at.shop();
    const buyer = await at.buyer(shop);
    const sent = await at.submit(shop, buyer, { arguments: { question: MALTA } });
    expect(sent.body.outcome).toBe("approved");
    await server.context.questions.drain();
    const { items } = (await shop.admin("GET", "/questions")).body;
    expect(items).toMatchObject([
      { question: MALTA, asker: { kind: "agent", agent_id: buyer.agentId } },
    ]);

    // Over HTTP and over MCP, whoever asks again gets the answer, and a repeated mandate gets what it got.
    expect(sent.body.answer).toBe(undefined);
    const says = "Yes, within five days.";
    const [{ question_id }] = items;
    await shop.admin("POST", `/questions/${question_id}/answer`, { answer: says, publish: true });
    const first = await signMandate(
      at.mandate(shop, buyer, { arguments: { question: "do you deliver to malta" } }),
      buyer.key.signer,
    );
    const again = await at.send(shop, first);
    expect(again.body).toMatchObject({ outcome: "approved", answer: says });
    const other = { arguments: { question: "Do you deliver to Mars?" } };
    expect((await at.submit(shop, buyer, other)).body.answer).toBe(undefined);
    await shop.admin("DELETE", `/questions/${question_id}`);
    expect((await at.send(shop, first)).body.answer).toBe(says);
    const log = await server.context.db.all<{ text: string }>("SELECT text FROM audit_records");
    expect(JSON.stringify(log)).not.toMatch(/malta|five days/i);
  });

  test("a signed question that needs a review gets the answer that is published when it is approved", async () => {
    const { server } = await open();
    const at = submitting(server);
    const watched = { id: "ask", effect: "escalate", when: { skill: { eq: "get_pricing" } } };
    const shop = await at.shop({ ...POLICY, rules: [watched] } as never);
    const buyer = await at.buyer(shop);
    const ask = async (question: string) => {
      const fields = { arguments: { question } };
      const mandate = await signMandate(at.mandate(shop, buyer, fields), buyer.key.signer);
      const { body } = await at.send(shop, mandate);
      expect(body.outcome).toBe("escalated");
      const approve = () => shop.admin("POST", `/escalations/${body.escalation_id}/approve`, {});
      const state = async () => (await fetch(body.status_url)).json();
      return { mandate, approve, state };
    };
    const malta = await ask(MALTA);
    const mars = await ask("Do you deliver to Mars?");
    await server.context.questions.drain();

    // The owner reads it before anybody approves it, and the agent sees no answer until then.
    const { items } = (await shop.admin("GET", "/questions")).body;
    const { question_id } = items.find(({ question }: { question: string }) => question === MALTA);
    const says = "Yes, within five days.";
    await shop.admin("POST", `/questions/${question_id}/answer`, { answer: says, publish: true });
    expect(await malta.state()).not.toHaveProperty("answer");
    expect((await malta.approve()).body).toEqual({ status: "approved" });
    expect(await malta.state()).toMatchObject({ status: "approved", answer: says });
    const approved = await at.send(shop, malta.mandate);
    expect(approved.body).toMatchObject({ outcome: "approved", answer: says });
    await mars.approve();
    expect(await mars.state()).not.toHaveProperty("answer");
    expect((await at.send(shop, mars.mandate)).body).not.toHaveProperty("answer");

    const [record] = await at.records(shop, "review.decision");
    expect(record.record.review).toMatchObject({ outcome: "approved" });
    const texts = [
      ...(await server.context.db.all<{ text: string }>("SELECT text FROM audit_records")),
      ...(await server.context.db.all<{ text: string }>("SELECT request AS text FROM reviews")),
    ];
    expect(JSON.stringify(texts)).not.toMatch(/malta|mars|five days/i);
  });

  test("a mandate in a call of a link tool is decided, and its result has the published answer", async () => {
    const { server } = await open();
    const at = selling(server);
    const shop = await at.shop();
    const buyer = await at.buyer(shop);
    const decisions = async () => (await at.records(shop)).length;
    const signed = (fields: JsonObject) =>
      signMandate(at.mandate(shop, buyer, fields), buyer.key.signer);
    const call = async (args: JsonObject, meta?: unknown) =>
      (await at.call(shop, args, meta, "get_pricing")).result;
    const asked = { question: MALTA };
    const first = await signed({ arguments: asked });
    const meta = { "dev.gatehouse/mandate": first };
    const link = { skill: "get_pricing", url: "https://shop.example.com/prices" };
    const unanswered = await call(asked, meta);
    expect(unanswered).toMatchObject({ isError: false, structuredContent: link });
    expect(unanswered.structuredContent).toMatchObject({ outcome: "approved" });
    expect(unanswered.structuredContent).not.toHaveProperty("answer");
    expect(await decisions()).toBe(1);
    const [record] = await at.records(shop, "mcp.tools_call");
    expect(record.record.tool).toMatchObject({ name: "get_pricing", outcome: "answered" });

    await server.context.questions.drain();
    const { items } = (await shop.admin("GET", "/questions")).body;
    expect(items).toMatchObject([{ question: MALTA, asker: { agent_id: buyer.agentId } }]);
    const answer = "Yes, within five days.";
    const path = `/questions/${items[0].question_id}/answer`;
    await shop.admin("POST", path, { answer, publish: true });
    const mandate = await signed({ arguments: asked });
    const answered = await call({ ...asked, mandate });
    expect(answered.structuredContent).toMatchObject({ ...link, outcome: "approved", answer });
    expect(answered.content[0].text).toMatch(/^Yes, within five days\.\n/);
    expect(answered.structuredContent).toMatchObject((await at.send(shop, mandate)).body);
    // The same mandate gets its first answer again, which is none.
    expect(await call(asked, meta)).toEqual(unanswered);
    expect(await decisions()).toBe(2);

    // A mandate that is refused buys no answer, and one for other arguments is not for this call.
    const forged = { ...mandate, envelope: { ...mandate.envelope, signature: "A".repeat(86) } };
    for (const [args, reason] of [
      [{ ...asked, mandate: forged }, "signature_invalid"],
      [
        { question: "And to Gozo?", mandate: await signed({ arguments: asked }) },
        "arguments_mismatch",
      ],
    ] as const) {
      const refused = await call(args as JsonObject);
      expect(refused).toMatchObject({ isError: true, structuredContent: { ...link, reason } });
      expect(refused.structuredContent).not.toHaveProperty("answer");
    }
  });

  test("a mandate in a call of a link tool needs a review if the rules say so", async () => {
    const { server } = await open();
    const at = selling(server);
    const watched = { id: "ask", effect: "escalate", when: { skill: { eq: "get_pricing" } } };
    const shop = await at.shop({ ...POLICY, rules: [watched] } as never);
    const buyer = await at.buyer(shop);
    const mandate = await signMandate(at.mandate(shop, buyer), buyer.key.signer);
    const call = async () => (await at.call(shop, { mandate }, undefined, "get_pricing")).result;
    const { isError, structuredContent } = await call();
    expect(isError).toBe(false);
    expect(structuredContent).toMatchObject({ outcome: "escalated", skill: "get_pricing" });
    await shop.admin("POST", `/escalations/${structuredContent.escalation_id}/approve`, {});
    expect((await call()).structuredContent.outcome).toBe("approved");

    // A decided mandate gets its first answer, even if its tool no longer exists.
    await shop.admin("PUT", "/skills", { skills: [] });
    expect((await call()).structuredContent).toMatchObject({ outcome: "approved" });
  });

  test("the owner gets an email with the questions, quoted, at most once in 15 minutes", async () => {
    const { server, admin, ask, clock } = await open({
      GATEHOUSE_SMTP_URL: "smtp://127.0.0.1:9",
      GATEHOUSE_MAIL_FROM: "gate@example.com",
    });
    const emails = ["ann@example.com"];
    expect((await server.admin("PUT", `${admin}/notifications`, { emails })).status).toBe(200);
    for (const question of [
      `${MALTA} Over 60.00 EUR? See https://evil.example/x`,
      "Two?",
      "Three?",
      "Four?",
    ]) {
      await ask(question);
      clock.advance(1000);
    }
    const mails = async () => {
      await notifyQuestions(server.context, () => false);
      const sql = "SELECT destination, body FROM outbox WHERE kind = 'mail' ORDER BY created_at";
      const rows = await server.context.db.all<{ destination: string; body: string }>(sql);
      return rows.map(({ destination, body }) => ({ destination, ...JSON.parse(body) }));
    };
    const [mail, ...others] = await mails();
    expect([mail.destination, mail.subject, others]).toEqual([
      "ann@example.com",
      "shop.example.com: 4 new questions from agents",
      [],
    ]);
    const page = `${server.context.config.baseUrl}/console/shop.example.com/questions`;
    expect(mail.text).toContain("\nand 1 more\n");
    expect(mail.text.split("\n")).toContain(page);
    expect(mail.text.match(/https?:\/\//g)).toHaveLength(1);
    expect(mail.text).toContain(
      '"Do you deliver to Malta? Over 60.00 EUR? See https: / / evil. example/ x"',
    );
    await ask("Five?");
    expect(await mails()).toHaveLength(1);
    clock.advance(15 * MINUTE_MS);
    const [, second] = await mails();
    expect(second.subject).toBe("shop.example.com: 1 new question from agents");
  });
});
