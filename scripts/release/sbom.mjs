/** The hash of a lock file's `integrity` as CycloneDX writes it. */
function hashOf(integrity) {
  const [, bits, base64] = /^sha(\d+)-(.+)$/.exec(integrity) ?? [];
  return { alg: `SHA-${bits}`, content: Buffer.from(base64, "base64").toString("hex") };
}

const purl = (name, version) => `pkg:npm/${name.replace("@", "%40")}@${version}`;

/** A licence by its SPDX id, or by its expression. */
function licenceOf(license) {
  if (typeof license !== "string") return [];
  return /[ ()]/.test(license) ? [{ expression: license }] : [{ license: { id: license } }];
}

/**
 * The bill of materials of the release (CycloneDX 1.6). It has no date and no serial number, so that the same
 * source makes the same bytes.
 */
export function sbomOf({ name, version, license }, packages) {
  const root = { type: "application", name, version, purl: purl(name, version) };
  const components = packages.map((one) => ({
    type: "library",
    "bom-ref": purl(one.name, one.version),
    name: one.name,
    version: one.version,
    purl: purl(one.name, one.version),
    licenses: licenceOf(one.license),
    ...(one.integrity === undefined ? {} : { hashes: [hashOf(one.integrity)] }),
  }));
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: { ...root, "bom-ref": root.purl, licenses: licenceOf(license) },
    },
    components,
    dependencies: [
      { ref: root.purl, dependsOn: components.map((component) => component.purl) },
      ...components.map((component) => ({ ref: component.purl, dependsOn: [] })),
    ],
  };
}
