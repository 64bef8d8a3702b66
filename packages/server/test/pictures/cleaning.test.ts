import { createHash } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readPicture } from "../../src/domain/products/pictures/picture.ts";
import {
  exif,
  JPEG,
  jpegWith,
  LOSSLESS_WEBP,
  PNG,
  pngChunk,
  pngOf,
  pngWith,
  segment,
  TRANSPARENT_WEBP,
  WEBP,
  webpChunk,
  webpWith,
} from "./sample-pictures.ts";

const SCRIPT = "<script>alert(document.domain)</script>";
const ZIP = Buffer.concat([Buffer.from("PK\x03\x04"), deflateRawSync(SCRIPT)]);
const SAMPLES = { JPEG, PNG, WEBP, TRANSPARENT_WEBP, LOSSLESS_WEBP } as const;

function read(file: Uint8Array) {
  const result = readPicture(file);
  if (!result.ok) throw new Error(result.detail);
  return result.value;
}
const refusal = (file: Uint8Array) => {
  const result = readPicture(file);
  return result.ok ? undefined : result.detail;
};
const NO_PICTURE = "The file is not a picture. Choose a JPEG, PNG or WebP file.";
const INCOMPLETE = "The file is incomplete or damaged. Choose another file.";

describe("an uploaded picture", () => {
  test.each(Object.entries(SAMPLES))(
    "is stored as it is if all of it draws it: %s",
    (_name, file) => {
      const { bytes, width, height, digest } = read(file);
      expect([width, height]).toEqual([12, 8]);
      expect(Buffer.compare(bytes, file)).toBe(0);
      expect(digest).toBe(createHash("sha256").update(file).digest("base64url"));
    },
  );

  test("is what its bytes are", () => {
    expect([JPEG, PNG, WEBP].map((file) => read(file).type)).toEqual([
      "image/jpeg",
      "image/png",
      "image/webp",
    ]);
  });

  test.each([
    ["nothing", ""],
    ["a page", `<!doctype html>${SCRIPT}`],
    ["an SVG", `<svg xmlns="http://www.w3.org/2000/svg">${SCRIPT}</svg>`],
    ["an SVG with an XML declaration", `<?xml version="1.0"?><svg>${SCRIPT}</svg>`],
    ["a GIF that is a script", `GIF89a/*${"\0".repeat(20)}*/=1;${SCRIPT}`],
    ["a PDF", "%PDF-1.7\n"],
    ["a BMP", `BM${"\0".repeat(60)}`],
    ["an AVIF", `\0\0\0\x20ftypavif${"\0".repeat(40)}`],
    ["a sound in the container of WebP", "RIFF\x24\0\0\0WAVEfmt "],
    ["a page that begins after a picture's name", `.jpg\n${SCRIPT}`],
  ])("is refused if it is %s", (_name, text) => {
    expect(refusal(Buffer.from(text, "latin1"))).toBe(NO_PICTURE);
  });
});

describe("what does not draw a picture is left out:", () => {
  test("a page, an archive or a film behind it", () => {
    for (const file of [JPEG, PNG, WEBP]) {
      for (const more of [Buffer.from(SCRIPT), ZIP, Buffer.from("\0\0\0\x18ftypmp42")]) {
        expect(Buffer.compare(read(Buffer.concat([file, more])).bytes, file)).toBe(0);
      }
    }
  });

  test("comments and data of programs in a JPEG", () => {
    const hidden = [
      segment(0xfe, `*/=alert(1);/*${SCRIPT}`),
      segment(0xe1, `http://ns.adobe.com/xap/1.0/\0${SCRIPT}`),
      segment(0xed, `Photoshop 3.0\0${SCRIPT}`),
      segment(0xe0, `not JFIF ${SCRIPT}`),
    ];
    expect(Buffer.compare(read(jpegWith(...hidden)).bytes, JPEG)).toBe(0);
  });

  test("where a photo was taken, but not which side of it is up", () => {
    const { bytes } = read(jpegWith(exif(6)));
    expect(Buffer.from(bytes).includes("52.5200 N")).toBe(false);
    const kept = Buffer.from(bytes).subarray(2, 38);
    expect(kept.toString("latin1", 4, 10)).toBe("Exif\0\0");
    expect(kept.readUInt16BE(28)).toBe(6);
    // Cleaned again it stays the same.
    expect(Buffer.compare(read(bytes).bytes, bytes)).toBe(0);
    expect(Buffer.compare(read(jpegWith(exif(1))).bytes, JPEG)).toBe(0);
    expect(Buffer.compare(read(jpegWith(exif(9))).bytes, JPEG)).toBe(0);
  });

  test("texts, places and animations in a PNG", () => {
    const hidden = ["tEXt", "zTXt", "iTXt", "eXIf", "tIME", "acTL"];
    const file = pngWith(...hidden.map((type) => pngChunk(type, SCRIPT)));
    expect(Buffer.compare(read(file).bytes, PNG)).toBe(0);
  });

  test("Exif and XMP data in a WebP, and the flags that announce them", () => {
    const file = webpWith(webpChunk("EXIF", "52.5200 N"), webpChunk("XMP ", SCRIPT));
    file[20] = (file[20] as number) | 0x0c;
    expect(Buffer.compare(read(file).bytes, WEBP)).toBe(0);
  });
});

describe("a picture is refused", () => {
  test("if it is larger than programs can show", () => {
    const large = /^The picture is too large\. It can have at most 25 megapixels/;
    expect(refusal(pngOf(5001, 5000))).toMatch(large);
    expect(refusal(pngOf(10_001, 1))).toMatch(large);
    expect(refusal(pngOf(2 ** 31, 2 ** 31))).toMatch(large);
    expect(refusal(pngOf(5000, 5000))).toBeUndefined();
    const frame = JPEG.indexOf(Buffer.from([0xff, 0xc0]));
    const jpeg = Buffer.from(JPEG);
    jpeg.writeUInt32BE(0xffffffff, frame + 5);
    expect(refusal(jpeg)).toMatch(large);
  });

  test("if it has no height or width", () => {
    expect([refusal(pngOf(0, 8)), refusal(pngOf(8, 0))]).toEqual([INCOMPLETE, INCOMPLETE]);
  });

  test("if a PNG has a wrong checksum, a second header, no data or an unknown part that is needed", () => {
    const flipped = Buffer.from(PNG);
    flipped[18] = (flipped[18] as number) ^ 1;
    const header = PNG.subarray(8, 33);
    const noData = Buffer.concat([PNG.subarray(0, 33), pngChunk("IEND", "")]);
    const files = [flipped, pngWith(header), pngWith(pngChunk("NEED", "")), noData];
    expect(files.map(refusal)).toEqual(files.map(() => INCOMPLETE));
  });

  test("if a JPEG is of a kind that browsers do not show", () => {
    const lossless = Buffer.from(JPEG);
    lossless[lossless.indexOf(Buffer.from([0xff, 0xc0])) + 1] = 0xc3;
    expect(refusal(lossless)).toBe("This kind of JPEG is not supported. Save it again.");
  });

  test("if a WebP is animated, has two pictures, or another size than it says", () => {
    const moving = webpWith(webpChunk("ANIM", "\0\0\0\0\0\0"));
    expect(refusal(moving)).toBe("Animated pictures are not supported. Choose a still picture.");
    const lossy = WEBP.subarray(WEBP.indexOf("VP8 "));
    expect(refusal(webpWith(lossy))).toBe(INCOMPLETE);
    const wider = Buffer.from(WEBP);
    wider[24] = 13;
    expect(refusal(wider)).toBe(INCOMPLETE);
  });

  test.each(Object.entries(SAMPLES))("wherever it is cut off: %s", (_name, file) => {
    for (let length = 0; length < file.length; length++) {
      expect(refusal(file.subarray(0, length))).toBeDefined();
    }
  });

  test("or read without an error, whatever bytes are changed", () => {
    const samples = fc.constantFrom(...Object.values(SAMPLES), jpegWith(exif(6)));
    const changes = fc.array(fc.tuple(fc.nat(800), fc.nat(255)), { maxLength: 8 });
    fc.assert(
      fc.property(samples, changes, (sample, changed) => {
        const file = Buffer.from(sample);
        for (const [at, value] of changed) file[at % file.length] = value;
        const first = readPicture(file);
        if (!first.ok) return;
        const again = readPicture(first.value.bytes);
        // What was cleaned is clean.
        expect(again.ok && again.value.digest).toBe(first.value.digest);
      }),
      { numRuns: 3000 },
    );
  });
});
