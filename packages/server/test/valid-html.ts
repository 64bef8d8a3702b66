import { HtmlValidate, StaticConfigLoader } from "html-validate";

const validator = new HtmlValidate(new StaticConfigLoader({ extends: ["html-validate:standard"] }));

/** What is wrong with a page, by the HTML standard. */
export async function htmlFaults(html: string, name = "page"): Promise<string[]> {
  const { results } = await validator.validateString(html, name);
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, line, message }) => `${name}:${line} ${ruleId}: ${message}`),
  );
}
