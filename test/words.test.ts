import { expect, test } from "vitest";
import { textFaults } from "../scripts/words/faults.mjs";
import { phpTexts } from "../scripts/words/texts.mjs";

test("the check of words reads the texts of the plugin that can be translated, and nothing else", () => {
  const php = `$a = __( 'Nothing to complain of.', 'gatehouse' );
    esc_html_e( "It's new", 'gatehouse' ); $b = _n( '%d order', '%d orders', $n, 'gatehouse' );
    $c = 'a key'; // whoever reads this`;
  expect(phpTexts(php)).toEqual(["Nothing to complain of.", "It's new", "%d order", "%d orders"]);
});

test("the check of words finds private words and long sentences, but not names of the API", () => {
  const faults = (text: string) => textFaults(text).map((fault: string) => fault.split(/[:(]/)[0]);
  expect(faults("The payment lapses tomorrow.")).toEqual(['"lapses" ']);
  expect(faults("The state `lapsed` means that it expired.")).toEqual([]);
  const long = `A sentence with ${"many ".repeat(29)}words.`;
  expect(faults(long)).toEqual(["33 words, at most 30"]);
  expect(faults("many ".repeat(40))).toEqual([]);
});
