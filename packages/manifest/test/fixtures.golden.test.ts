import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { canonicalText, manifestJsonSchema, sealManifest, signManifest } from "@cadastre/manifest";
import { expect, test } from "vitest";
import { exampleKeySet, exampleSigningKey } from "../src/testing/index.ts";
import { faults } from "./support/faults.ts";
import { delta, documented, emptyDelta, parquet, seed, snapshot } from "./support/manifests.ts";

const folder = fileURLToPath(new URL("../fixtures/", import.meta.url));
const schemaFile = fileURLToPath(new URL("../manifest-v2.schema.json", import.meta.url));

const { sha256: seedHash, bytes } = await sealManifest(seed);
const valid = {
  seed,
  documented,
  snapshot,
  delta: delta(seedHash),
  "no-change": emptyDelta(seedHash),
  parquet,
};
const later = {
  ...seed,
  comment: "Later writers may say more",
  profile: { ...seed.profile, note: [1, null] },
};

test("the JSON Schema is that of the types", async () => {
  await expect(`${JSON.stringify(manifestJsonSchema(), null, 2)}\n`).toMatchFileSnapshot(schemaFile);
});

test.each([...Object.entries(valid), ["unknown-members", later] as const])(
  "valid/%s",
  async (name, manifest) => {
    await expect(canonicalText(manifest)).toMatchFileSnapshot(`${folder}valid/${name}.json`);
  },
);

test.each(faults)("invalid/$name", async ({ name, text }) => {
  await expect(text).toMatchFileSnapshot(`${folder}invalid/${name}.json`);
});

test("what is expected of the invalid ones", async () => {
  const expected = faults.map(({ name, code, path }) => [`${name}.json`, { code, path }]);
  await expect(`${JSON.stringify(Object.fromEntries(expected), null, 2)}\n`).toMatchFileSnapshot(
    `${folder}invalid.json`,
  );
});

test("a signed one", async () => {
  const signature = await signManifest(bytes, exampleSigningKey);
  const meta = { manifest_sha256: seedHash, entitlement_version: seed.entitlement.version, signature };
  const files = {
    "manifest.json": canonicalText(seed),
    "manifest.sha256": `${seedHash}  manifest.json\n`,
    "signature.json": JSON.stringify(signature),
    "jwks.json": JSON.stringify(exampleKeySet),
    "response.json": `{"data":${canonicalText(seed)},"meta":${JSON.stringify(meta)}}`,
  };
  for (const [name, text] of Object.entries(files))
    await expect(text).toMatchFileSnapshot(`${folder}signed/${name}`);
});

test("there is no other", () => {
  expect(readdirSync(`${folder}valid`)).toHaveLength(Object.keys(valid).length + 1);
  expect(readdirSync(`${folder}invalid`)).toHaveLength(faults.length);
});
