import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect, openTarget, pull, verifyFolder } from "@cadastre/client";
import { afterEach, expect, test } from "vitest";
import { jwks, makeDelivery } from "./support/deliveries.ts";
import { emptyFolder, filesIn } from "./support/folders.ts";
import { apiKey, startServer, type TestServer, type Trick } from "./support/server.ts";

const texts = { schema: '{"datasets":[],"id":"listing"}', profile: '{"id":"listing-jsonl"}' };
const delivery = await makeDelivery({ documents: { ...texts, "later-kind": "{}" } });
const { deliveryId: id } = delivery.manifest;

let server: TestServer;
afterEach(() => server.close());

async function pullInto(folder: string, { trick, maxBytes }: { trick?: Trick; maxBytes?: number } = {}) {
  server = await startServer(delivery);
  if (trick !== undefined) server.trick = trick;
  const retryPolicy = { tries: 3, timeout: 2000, pause: 5 };
  const connection = connect({ url: server.url, apiKey, retryPolicy });
  const target = await openTarget(folder);
  return pull(connection, id, { target, trust: jwks, reference: null, maxBytes });
}

const schemaPath = `/v1/schemas/${delivery.manifest.schema.sha256}`;

test("a pulled folder has the documents, and a document of a later kind is left out", async () => {
  const folder = emptyFolder();
  await pullInto(folder);
  const names = delivery.manifest.parts.map(({ name }) => name);
  expect(filesIn(join(folder, id))).toEqual(
    ["manifest.json", "profile.json", "schema.json", "signature.json", ...names].toSorted(),
  );
  for (const [kind, text] of Object.entries(texts))
    expect(readFileSync(join(folder, id, `${kind}.json`), "utf8")).toBe(text);
  expect(await verifyFolder(join(folder, id), { keys: jwks })).toMatchObject({ sha256: delivery.sha256 });
});

test.each([
  ["other bytes", texts.schema.replace("listing", "LISTING")],
  ["more bytes", `${texts.schema} `],
  ["no bytes", ""],
])("a document with %s is refused before anything is loaded", async (_, text) => {
  const folder = emptyFolder();
  const trick: Trick = ({ url }, response) => {
    if (url !== schemaPath) return false;
    response.writeHead(200, { "content-type": "application/json" }).end(text);
    return true;
  };
  await expect(pullInto(folder, { trick })).rejects.toMatchObject({ code: "document_differs" });
  expect(filesIn(folder).filter((name) => !name.startsWith("."))).toEqual([]);
  expect(server.requests.some(({ url }) => url.includes("/download"))).toBe(false);
});

test("a document is asked for again after a failure that passes, and kept for the next run", async () => {
  const folder = emptyFolder();
  let failed = 0;
  await pullInto(folder, {
    trick: ({ url }, response) => {
      if (url !== schemaPath || failed++ > 0) return false;
      response.writeHead(503).end();
      return true;
    },
  });
  expect(server.requests.filter(({ url }) => url === schemaPath)).toHaveLength(2);
  await server.close();
  writeFileSync(join(folder, id, delivery.manifest.parts[0]?.name ?? ""), "");
  await pullInto(folder);
  expect(server.requests.filter(({ url }) => url === schemaPath)).toEqual([]);
});

test("documents count towards the limit of bytes", async () => {
  const { byteLength } = delivery.manifest.totals;
  await expect(pullInto(emptyFolder(), { maxBytes: byteLength + 10 })).rejects.toMatchObject({
    code: "max_bytes_exceeded",
  });
});
