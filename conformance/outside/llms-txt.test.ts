import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HOSTILE_SITE, HOSTILE_SKILLS } from "./hostile-site.ts";
import { type VerifiedSite, verifiedSite } from "./site.ts";

let hostile: VerifiedSite;
beforeAll(async () => {
  hostile = await verifiedSite(HOSTILE_SITE, HOSTILE_SKILLS);
});
afterAll(() => hostile.done());

interface Link {
  readonly title: string;
  readonly url: string;
  readonly note: string;
}

/**
 * A reader as simple as the reference parser of llms.txt: it knows headings by the start of a line,
 * takes a summary only when more text follows, and of a section's lines nothing but links.
 */
function readLlmsTxt(text: string) {
  const [head = "", ...parts] = text.split(/^##\s*(.*)$/m);
  const { title, summary } = /^#\s*(?<title>.+)\n+>\s*(?<summary>.+)\n+\S/.exec(head)?.groups ?? {};
  const sections = new Map<string, Link[]>();
  for (let at = 0; at < parts.length; at += 2) {
    const lines = (parts[at + 1] as string).split("\n").filter((line) => line.trim() !== "");
    const links = lines.map((line) => {
      const link = /^-\s*\[(?<title>[^\]]+)\]\((?<url>[^)]+)\)(?::\s*(?<note>.*))?$/.exec(line);
      if (link === null) throw new Error(`no link: ${line}`);
      return link.groups as unknown as Link;
    });
    sections.set(parts[at] as string, links);
  }
  return { title, summary, sections };
}

/** What a person sees where a character is written by its number. */
function shown(text = ""): string {
  return text.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)));
}

describe("a pattern-based reader", () => {
  test("finds exactly the existing sections, whatever the owner writes", async () => {
    const { sections } = readLlmsTxt(await hostile.read("llms"));
    expect([...sections.keys()]).toEqual(["Skills", "Agent interfaces"]);
    expect(sections.get("Skills")).toHaveLength(HOSTILE_SKILLS.length);
  });

  test("reads every skill as it is on the card", async () => {
    const { sections } = readLlmsTxt(await hostile.read("llms"));
    const card = await hostile.read("card");
    const read = sections.get("Skills")?.map(({ title, url, note }) => ({
      name: shown(title),
      description: shown(note).replace(/ \(MCP tool `\w+`\)$/, ""),
      url: url.replaceAll("%28", "(").replaceAll("%29", ")"),
    }));
    expect(read).toEqual(
      card.skills.map(({ name, description, url }: Record<string, string>) => {
        return { name, description, url };
      }),
    );
  });

  test("reads the name and the summary as they are on the card", async () => {
    const { title, summary } = readLlmsTxt(await hostile.read("llms"));
    const { name, description } = await hostile.read("card");
    expect([shown(title), shown(summary)]).toEqual([name, description]);
  });

  test("reads the file of a site that offers nothing yet", async () => {
    await hostile.setSkills([]);
    const { title, summary, sections } = readLlmsTxt(await hostile.read("llms"));
    await hostile.setSkills(HOSTILE_SKILLS);
    expect([title, summary].every(Boolean)).toBe(true);
    expect([...sections.keys()]).toEqual(["Agent interfaces"]);
  });
});
