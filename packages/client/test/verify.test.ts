import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { verifyFolder } from "@cadastre/client";
import { expect, test } from "vitest";
import { jwks, listings, makeDelivery, type TestDelivery } from "./support/deliveries.ts";
import { emptyFolder } from "./support/folders.ts";

const delivery = await makeDelivery();
const [part] = delivery.manifest.parts;
const name = part?.name ?? "";

/** A folder as a pull leaves it. */
function folderOf({ manifest, bytes, signature, parts, documents }: TestDelivery): string {
  const folder = emptyFolder();
  writeFileSync(join(folder, "manifest.json"), bytes);
  writeFileSync(join(folder, "signature.json"), JSON.stringify(signature));
  for (const { name: file, number } of manifest.parts)
    writeFileSync(join(folder, file), parts.get(number) ?? "");
  for (const { name: file, sha256 } of manifest.documents ?? [])
    writeFileSync(join(folder, file), documents.get(sha256) ?? "");
  return folder;
}

const verify = (folder: string) => verifyFolder(folder, { keys: jwks });

test.each(["jsonl", "csv", "parquet"] as const)("a whole folder of %s is verified", async (format) => {
  const made = await makeDelivery({ format });
  expect(await verify(folderOf(made))).toMatchObject({
    sha256: made.sha256,
    signed: true,
    counted: format !== "parquet",
  });
});

test("so is one that a push has written", async () => {
  const folder = folderOf(delivery);
  writeFileSync(join(folder, "_COMPLETE"), "");
  renameSync(join(folder, "signature.json"), join(folder, "manifest.jws.json"));
  expect(await verify(folder)).toMatchObject({ signed: true });
  flip(join(folder, "manifest.jws.json"), 40);
  await expect(verify(folder)).rejects.toThrow("signature");
  rmSync(join(folder, "manifest.jws.json"));
  await expect(verify(folder)).rejects.toMatchObject({ code: "file_missing" });
  expect(await verifyFolder(folder, { keys: "unsigned" })).toMatchObject({ signed: false });
});

test("the documents beside the parts are verified, if an earlier release has not left them out", async () => {
  const documented = await makeDelivery({ documents: { schema: '{"datasets":[]}', later: "{}" } });
  const folder = folderOf(documented);
  expect(await verify(folder)).toMatchObject({ sha256: documented.sha256 });
  flip(join(folder, "schema.json"), 3);
  await expect(verify(folder)).rejects.toMatchObject({ code: "document_differs", file: "schema.json" });
  rmSync(join(folder, "schema.json"));
  expect(await verify(folder)).toMatchObject({ signed: true });
});

const flip = (file: string, at: number) => {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
};

test.each<readonly [string, (folder: string) => void, string]>([
  ["a bit of a part is another", (folder) => flip(join(folder, name), 50), "part_hash_differs"],
  ["a part is cut off", (folder) => writeFileSync(join(folder, name), "x"), "part_length_differs"],
  ["a part is missing", (folder) => rmSync(join(folder, name)), "file_missing"],
  [
    "a part is a link",
    (folder) => {
      const elsewhere = join(emptyFolder(), name);
      writeFileSync(elsewhere, readFileSync(join(folder, name)));
      rmSync(join(folder, name));
      symlinkSync(elsewhere, join(folder, name));
    },
    "part_length_differs",
  ],
  [
    "a part is a folder",
    (folder) => {
      rmSync(join(folder, name));
      mkdirSync(join(folder, name));
    },
    "part_length_differs",
  ],
  [
    "there is one file more",
    (folder) => writeFileSync(join(folder, "listing-9.jsonl.gz"), ""),
    "file_unexpected",
  ],
  ["the manifest is missing", (folder) => rmSync(join(folder, "manifest.json")), "file_missing"],
  [
    "a bit of the manifest is another",
    (folder) => flip(join(folder, "manifest.json"), 30),
    "signature_invalid",
  ],
  [
    "the manifest has a line end",
    (folder) => writeFileSync(join(folder, "manifest.json"), `${new TextDecoder().decode(delivery.bytes)}\n`),
    "signature_invalid",
  ],
  ["the signature is missing", (folder) => rmSync(join(folder, "signature.json")), "file_missing"],
  [
    "the signature is no JSON",
    (folder) => writeFileSync(join(folder, "signature.json"), "{"),
    "signature_missing",
  ],
])("it is told when %s", async (_, spoil, code) => {
  const folder = folderOf(delivery);
  spoil(folder);
  await expect(verify(folder)).rejects.toMatchObject({ code });
});

test("a link is no part, even where its length is that of the part", async () => {
  const small = await makeDelivery({ datasets: { listing: listings(1) } });
  const folder = folderOf(small);
  const [only] = small.manifest.parts;
  const [elsewhere, file] = [emptyFolder(), join(folder, only?.name ?? "")];
  writeFileSync(join(elsewhere, "x"), readFileSync(file));
  rmSync(file);
  symlinkSync(`${elsewhere}${"/".repeat((only?.byteLength ?? 0) - elsewhere.length - 1)}x`, file);
  await expect(verify(folder)).rejects.toMatchObject({ code: "part_length_differs" });
});

test("bytes that nobody has signed must be canonical", async () => {
  const folder = folderOf(delivery);
  writeFileSync(join(folder, "manifest.json"), `${new TextDecoder().decode(delivery.bytes)}\n`);
  await expect(verifyFolder(folder, { keys: "unsigned" })).rejects.toMatchObject({
    code: "manifest_not_canonical",
  });
});

test("what is pinned is looked at", async () => {
  const pins = { profile: "listing-csv@1" };
  await expect(verifyFolder(folderOf(delivery), { keys: jwks, pins })).rejects.toMatchObject({
    code: "pin_differs",
  });
});
