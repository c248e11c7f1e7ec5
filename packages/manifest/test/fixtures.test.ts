import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readKeySet, readManifest, sha256, verifyManifest } from "@cadastre/manifest";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { faults } from "./support/faults.ts";
import { seed } from "./support/manifests.ts";

const folder = fileURLToPath(new URL("../fixtures/", import.meta.url));
const schemaFile = fileURLToPath(new URL("../manifest-v2.schema.json", import.meta.url));
const bytesOf = (name: string) => new Uint8Array(readFileSync(folder + name));

const fits = new Ajv2020({ strict: true, validateFormats: false }).compile(
  JSON.parse(readFileSync(schemaFile, "utf8")) as object,
);

describe("a reader", () => {
  test.each(readdirSync(`${folder}valid`))("takes valid/%s", (name) => {
    const taken = readManifest(bytesOf(`valid/${name}`));
    expect(taken.schemaVersion).toBe(2);
    expect(fits(JSON.parse(new TextDecoder().decode(bytesOf(`valid/${name}`))))).toBe(true);
  });

  const expected = JSON.parse(readFileSync(`${folder}invalid.json`, "utf8")) as Record<string, object>;

  test.each(Object.entries(expected))("refuses invalid/%s", (name, fault) => {
    expect(() => readManifest(bytesOf(`invalid/${name}`))).toThrow(expect.objectContaining(fault));
  });

  test("leaves out what it does not know", () => {
    expect(readManifest(bytesOf("valid/unknown-members.json"))).toEqual(seed);
  });

  test("verifies the signed one", async () => {
    const jwks = readKeySet(JSON.parse(readFileSync(`${folder}signed/jwks.json`, "utf8")));
    const signature: unknown = JSON.parse(readFileSync(`${folder}signed/signature.json`, "utf8"));
    const signed = bytesOf("signed/manifest.json");
    expect(await verifyManifest(signed, signature, jwks)).toBe("example");
    expect(`${await sha256(signed)}  manifest.json\n`).toBe(
      readFileSync(`${folder}signed/manifest.sha256`, "utf8"),
    );
  });
});

test.each(faults.filter(({ bySchema }) => bySchema))("the JSON Schema refuses $name", ({ text }) => {
  expect(fits(JSON.parse(text))).toBe(false);
});
