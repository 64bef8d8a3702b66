import { describe, expect, onTestFinished, test } from "vitest";
import { dnsResolver } from "../src/resolver.ts";
import { type DnsAnswer, startDnsServer } from "./dns-server.ts";
import { PUBLIC_V4, PUBLIC_V6 } from "./harness.ts";

async function resolverOf(answer: DnsAnswer) {
  const dns = await startDnsServer(() => answer);
  onTestFinished(() => dns.close());
  return { dns, resolver: dnsResolver([dns.server]) };
}

describe("addresses of a name", () => {
  test("include all of both families", async () => {
    const { resolver } = await resolverOf({ addresses: [PUBLIC_V6, PUBLIC_V4, "1.1.1.1"] });
    const found = await resolver.addresses("example.com");
    expect(found.toSorted()).toEqual([PUBLIC_V4, "1.1.1.1", PUBLIC_V6].toSorted());
  });

  test("are requested from the name server even for names that this machine knows", async () => {
    const { dns, resolver } = await resolverOf({ addresses: [PUBLIC_V4] });
    expect(await resolver.addresses("localhost")).toEqual([PUBLIC_V4]);
    expect(dns.queries.toSorted()).toEqual(["A localhost", "AAAA localhost"]);
  });

  test("are requested for the exact name, never under a search domain", async () => {
    const { dns, resolver } = await resolverOf("nxdomain");
    expect(await resolver.addresses("example.com")).toEqual([]);
    expect(new Set(dns.queries)).toEqual(new Set(["A example.com", "AAAA example.com"]));
  });

  test("fail if a name server fails, and are not reported as none", async () => {
    const { resolver } = await resolverOf("servfail");
    await expect(resolver.addresses("example.com")).rejects.toMatchObject({ code: "ESERVFAIL" });
  });
});

describe("TXT records of a name", () => {
  test("are joined from their strings, one text for each record", async () => {
    const { resolver } = await resolverOf({ txt: [["first"], ["sec", "ond", ""]] });
    const found = await resolver.txt("_proof.example.com");
    expect(found.toSorted()).toEqual(["first", "second"]);
  });

  test.each<[string, DnsAnswer]>([
    ["the name has none", { txt: [] }],
    ["there is no such name", "nxdomain"],
  ])("are none when %s", async (_name, answer) => {
    const { resolver } = await resolverOf(answer);
    expect(await resolver.txt("_proof.example.com")).toEqual([]);
  });

  test("fail if a name server fails, and are not reported as none", async () => {
    const { resolver } = await resolverOf("servfail");
    await expect(resolver.txt("_proof.example.com")).rejects.toMatchObject({ code: "ESERVFAIL" });
  });
});
