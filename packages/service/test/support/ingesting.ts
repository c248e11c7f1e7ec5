import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RecordName } from "@cadastre/reso";
import type { WritableStore } from "@cadastre/store";
import { openSqliteStore } from "@cadastre/store/sqlite";
import { storedResources } from "../../src/catalog.ts";
import type { Format } from "../../src/ingest/format.ts";
import { type IngestReport, ingest } from "../../src/ingest/ingest.ts";
import type { Input } from "../../src/ingest/input.ts";
import type { Note } from "../../src/ingest/notes.ts";
import { noRejectLimit } from "../../src/ingest/reject-limit.ts";
import type { Reject } from "../../src/ingest/rejects.ts";
import { type RoundingChoice, roundingOf } from "../../src/ingest/rounding.ts";
import { sourceBySystem } from "../../src/ingest/sources.ts";
import { firstSystem as system, testCatalog } from "./test-catalog.ts";

/** The originating system of the records in these tests. */
export { system };
export const source = sourceBySystem(testCatalog, system.name) ?? expectSource();

function expectSource(): never {
  throw new RangeError(`${system.name} is no source`);
}

/** Returns a record of the system with only the required fields, and those of `record`. */
export const bare = (key: string, record: Readonly<Record<string, unknown>> = {}) => ({
  ListingKey: key,
  ModificationTimestamp: "2024-01-15T08:30:00.000Z",
  OriginatingSystemName: system.name,
  ...record,
});

function inputOf(text: string): Input {
  const bytes = Buffer.from(text);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return {
    name: "text",
    bytes: bytes.length,
    sha256,
    parts: [
      {
        name: "text",
        start: text.slice(0, 100),
        read: async function* () {
          yield bytes;
        },
      },
    ],
  };
}

export type Ingested = IngestReport & {
  readonly rejects: readonly Reject[];
  readonly notes: readonly Note[];
};

/** Stages a text as if it was a file of the system. */
export async function ingestText(
  store: WritableStore,
  resource: RecordName,
  text: string,
  { format = "jsonl", ...choice }: RoundingChoice & { readonly format?: Format } = {},
): Promise<Ingested> {
  const folder = await mkdtemp(join(tmpdir(), "cadastre-ingest-"));
  const rejects = join(folder, "rejects.jsonl");
  try {
    const report = await ingest({
      store: Object.assign(store, { catalog: testCatalog }),
      resource,
      source,
      crosswalk: { assigned: async () => new Map() },
      input: inputOf(text),
      format,
      mode: "changes",
      rounding: roundingOf(testCatalog, resource, choice),
      rejects,
      rejectLimit: noRejectLimit,
      maxShrink: 100,
      onProgress: () => {},
    });
    const written = existsSync(rejects) ? await readFile(rejects, "utf8") : "";
    const lines = written.split("\n").filter((line) => line !== "");
    const told = lines.map((line) => JSON.parse(line) as Reject | Note);
    return {
      ...report,
      rejects: told.filter((one) => "code" in one),
      notes: told.filter((one) => "note" in one),
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Opens an empty store of all resources in its own folder. */
export async function openEmptyStore(): Promise<{
  readonly store: WritableStore;
  readonly close: () => Promise<void>;
}> {
  const folder = await mkdtemp(join(tmpdir(), "cadastre-store-"));
  const store = await openSqliteStore({
    file: join(folder, "listings.sqlite"),
    resources: storedResources(testCatalog),
    threads: 0,
  });
  return {
    store,
    close: async () => {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}
