import { expect, test } from "vitest";
import { createDocuments } from "../../src/exports/documents.ts";
import { earlierSchemaDocuments } from "../../src/profiles/schema-document.ts";
import { anyScope } from "../support/scope.ts";
import { smallParts } from "../support/workshop.ts";

test("schema documents are made once for a scope, also when nobody has the hash that is asked for", async () => {
  let reads = 0;
  const column = {
    get name() {
      reads += 1;
      return "Key";
    },
    type: "string",
    collection: false,
    nullable: false,
  } as const;
  const documents = createDocuments({
    ledger: { document: async () => undefined },
    source: { columns: (dataset) => (dataset === "listing" ? [column] : undefined) },
    profiles: [smallParts],
    creditsOf: () => ({ sources: [], attribution: [] }),
  });
  const ask = (sha256: string) => documents.schema(anyScope, sha256);
  const nobody = "0".repeat(64);
  await expect(ask(nobody)).rejects.toMatchObject({ code: "not_found" });
  const [offered] = documents.profiles(anyScope);
  const [earlier] = earlierSchemaDocuments(smallParts, offered?.datasets ?? []);
  reads = 0;
  await expect(ask(nobody)).rejects.toMatchObject({ code: "not_found" });
  expect(await ask(offered?.schema.sha256 ?? "")).toMatchObject({ text: offered?.schema.text });
  expect(await ask(earlier?.sha256 ?? "")).toMatchObject({ text: earlier?.text });
  expect(reads).toBe(0);
});
