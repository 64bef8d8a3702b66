import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isGlobalAddress } from "../src/addresses.ts";
import { HOSTILE_ADDRESSES } from "./hostile-answers.ts";

describe("an address next to a special block is public:", () => {
  test.each([
    "1.0.0.0",
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "93.184.216.34",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "191.255.255.255",
    "192.0.1.0",
    "192.0.3.0",
    "192.31.195.255",
    "192.31.197.0",
    "192.52.192.255",
    "192.52.194.0",
    "192.88.98.255",
    "192.88.100.0",
    "192.167.255.255",
    "192.169.0.0",
    "192.175.47.255",
    "192.175.49.0",
    "198.17.255.255",
    "198.20.0.0",
    "198.51.99.255",
    "198.51.101.0",
    "203.0.112.255",
    "203.0.114.0",
    "223.255.255.255",
    "2000::",
    "2001:200::",
    "2001:db7:ffff::1",
    "2001:db9::",
    "2003::",
    "2606:4700::1111",
    "2620:4f:7fff:ffff::1",
    "2620:4f:8001::",
    "2a00:1450::1",
    "3fff:1000::",
  ])("%s", (address) => {
    expect(isGlobalAddress(address)).toBe(true);
  });
});

describe("an address in a special block is not public:", () => {
  test.each(HOSTILE_ADDRESSES)("%s (%s)", (_name, address) => {
    expect(isGlobalAddress(address)).toBe(false);
  });
});

describe("a text is not an address if it is", () => {
  test.each([
    ["empty", ""],
    ["a name", "example.com"],
    ["a public address in one number", "16843009"],
    ["a public address in hexadecimal", "0x01.1.1.1"],
    ["a public address with a leading zero", "01.1.1.1"],
    ["a public address with a port", "1.1.1.1:443"],
    ["a public address in brackets", "[2606:4700::1111]"],
    ["a public address with a zone", "2606:4700::1111%eth0"],
    ["a link-local address with a zone", "fe80::1%eth0"],
    ["white space", " 1.1.1.1"],
  ])("%s", (_name, address) => {
    expect(isGlobalAddress(address)).toBe(false);
  });
});

test("an IPv4 address inside an IPv6 address is refused, whatever it is", () => {
  const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16));
  fc.assert(
    fc.property(group, group, (high, low) => {
      const carried = `${high}:${low}`;
      const forms = [
        `::${carried}`,
        `::ffff:${carried}`,
        `::ffff:0:${carried}`,
        `64:ff9b::${carried}`,
        `64:ff9b:1::${carried}`,
        `2001:0:${carried}::1`,
        `2002:${carried}::1`,
      ];
      expect(forms.filter(isGlobalAddress)).toEqual([]);
    }),
  );
});
