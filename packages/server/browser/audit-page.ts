/**
 * The script of an HTML export: verifies the part that its own file carries and shows it. It asks
 * nobody anything, and runs from disk.
 */
import { parseJson, readBundle } from "@gatehouse/protocol";
import { answerSection } from "./answers.js";
import { Banner } from "./banner.js";
import { make, slot, visible } from "./dom.js";
import { type Brought, type Given, judge } from "./judge.js";
import { readKeySet } from "./keys.js";
import { markBadRecords, recordsTable } from "./records-table.js";
import { browserFault } from "./support.js";
import { trustForm } from "./trust-form.js";

/** What the file carries. What is no part of an export is a fault, in words. */
function readFile(): Brought | string {
  const text = slot("audit-export").textContent ?? "";
  const parsed = parseJson(text);
  if (!parsed.ok) return `it is not strict JSON: ${parsed.detail}`;
  const signed = readBundle(parsed.value);
  if (!signed.ok) return signed.detail;
  const keys = readKeySet(slot("audit-keys").textContent ?? "");
  return { text, bundle: signed.value.bundle, keys: keys.ok ? keys.value : new Map() };
}

function summary({ bundle }: Brought): HTMLElement {
  const { day, part, parts, first_seq, count } = bundle;
  const chain = visible(bundle.chain);
  const which = parts === 1 ? "" : `, part ${part} of ${parts}`;
  const span = count === 0 ? "no record" : `records ${first_seq} to ${first_seq + count - 1}`;
  document.title = `Audit export ${chain} ${day}`;
  return make("p", "lead", make("bdi", "", chain), `, ${day}${which}: ${span}`);
}

class AuditPage {
  private readonly answers = make("div", "");
  private readonly brought: Brought;
  private readonly banner: Banner;
  private run = 0;

  constructor(brought: Brought, banner: Banner) {
    this.brought = brought;
    this.banner = banner;
  }

  async show(): Promise<void> {
    const result = slot("audit-result");
    result.prepend(summary(this.brought));
    slot("audit-records").append(recordsTable(this.brought.bundle));
    const fault = await browserFault();
    if (fault !== undefined) return this.banner.showUnsupported(fault);
    result.append(
      this.answers,
      trustForm(this.brought, (given) => void this.verify(given)),
    );
    await this.verify(Promise.resolve({}));
  }

  private async verify(given: Promise<Given>): Promise<void> {
    const run = ++this.run;
    this.banner.show("verifying", "Verifying…");
    const judgement = await given
      .then((it) => (it.unread === true ? undefined : judge(this.brought, it)))
      .catch(String);
    // Asked again meanwhile: the later answer counts, whichever comes first.
    if (run !== this.run) return;
    if (judgement === undefined) {
      // Nothing stays green that was not verified by what the reader just gave.
      this.answers.replaceChildren();
      return this.banner.show("unread", "Not verified", "What you pasted below cannot be used.");
    }
    if (typeof judgement === "string") {
      // The browser has shown that it can; what made the verifier give up is the file.
      const why = `The file could not be read completely: ${judgement}.`;
      this.answers.replaceChildren();
      return this.banner.show("fails", "This export is not valid", why);
    }
    this.answers.replaceChildren(answerSection(judgement));
    markBadRecords(judgement.findings.map(({ seq }) => seq));
    this.banner.showJudgement(judgement);
  }
}

async function start(): Promise<void> {
  const banner = new Banner();
  slot("audit-result").replaceChildren(banner.element);
  banner.show("verifying", "Verifying…");
  try {
    const brought = readFile();
    if (typeof brought !== "string") return await new AuditPage(brought, banner).show();
    banner.show("fails", "This file contains no audit export", `${brought}.`);
  } catch (error) {
    banner.showUnsupported(String(error));
  }
}

void start();
