import { describe, expect, test } from "vitest";
import { Refused } from "../src/api/client.ts";
import { placeProblems } from "../src/ui/problems.ts";

const refused = (message: string) => new Refused(400, "invalid_request", message);

describe("the problems of a form", () => {
  test("stand beside the field of their path, in the words of the form", () => {
    const error = refused(
      'webhook_url: the address is not https. taxes.1.percent: must be a text from 0 to 99.9999, such as "7.25".',
    );
    const fields = new Set(["webhook_url", "taxes.0.percent", "taxes.1.percent"]);
    const wording = { "taxes.*.percent": "Enter a number from 0 to 99.9999." };
    expect(placeProblems(error, fields, wording)).toEqual({
      beside: {
        webhook_url: "Enter an https:// address.",
        "taxes.1.percent": "Enter a number from 0 to 99.9999.",
      },
      rest: null,
    });
  });

  test("stand beside the field that holds a list, if an entry has no field", () => {
    const { beside } = placeProblems(
      refused("emails.0: must be an email address."),
      new Set(["emails"]),
      {},
    );
    expect(beside).toEqual({ emails: "Must be an email address." });
  });

  test("are told without paths if no field is theirs", () => {
    const { beside, rest } = placeProblems(refused("shipping: has DE more than once."), new Set(), {
      shipping: "A country can be in one zone only.",
    });
    expect([beside, rest]).toEqual([{}, new Error("A country can be in one zone only.")]);
    const other = refused("Another import for this site is running. Wait until it is finished.");
    expect(placeProblems(other, new Set(), {})).toEqual({ beside: {}, rest: other });
  });
});
