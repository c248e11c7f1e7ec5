import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { deliveredLines, type StoredDelivery } from "@cadastre/client";
import type { Catalog, RecordName } from "@cadastre/reso";
import type { BatchCheck } from "../ingest/check-batch.ts";
import { IngestError } from "../ingest/ingest-error.ts";
import { servedRecords } from "../ingest/served.ts";
import type { ReceivedDataset } from "./received-datasets.ts";

const systemField = "OriginatingSystemName";

/** The records of a dataset in files, one for each system. */
export type SplitRecords = {
  /** Files by the id of the system, with the number of their lines. Systems without a record have none. */
  readonly files: ReadonlyMap<string, { readonly path: string; readonly lines: number }>;
  /** Numbers of records that were left out, by the name of their system. */
  readonly leftOut: ReadonlyMap<string, number>;
  /** Members without a value in any record, which the resource does not have: local fields of systems that are not taken. */
  readonly empty: readonly string[];
};

/** Systems whose records are taken: their ids by their names. */
export type TakenSystems = ReadonlyMap<string, string>;

/**
 * Writes the rows of a dataset to a file for each system that is taken.
 *
 * @throws {IngestError} if a record has no system, or a value of a field that the resource does not have
 */
export async function splitRows(
  delivery: StoredDelivery,
  { dataset, resource }: ReceivedDataset,
  taken: TakenSystems,
  catalog: Catalog,
  folder: string,
): Promise<SplitRecords> {
  const known = new Set(catalog.resource(resource).fields.map(({ name }) => name));
  const unknown = new Map<string, boolean>();
  const leftOut = new Map<string, number>();
  const files = new SystemFiles(folder, dataset);
  try {
    for await (const lines of deliveredLines(delivery, dataset, "rows")) {
      for (const line of lines) {
        const record = JSON.parse(line) as Readonly<Record<string, unknown>>;
        const name = record[systemField];
        if (typeof name !== "string")
          throw new IngestError(
            `records of ${dataset} have no ${systemField}, which says whose they are: take it into \`--select\`, or use a profile that has it`,
          );
        const system = taken.get(name);
        if (system === undefined) {
          leftOut.set(name, (leftOut.get(name) ?? 0) + 1);
          continue;
        }
        for (const member of Object.keys(record))
          if (!known.has(member))
            unknown.set(member, unknown.get(member) === true || hasValue(record[member]));
        files.add(system, line);
      }
      await files.flush();
    }
  } finally {
    await files.close();
  }
  const missing = [...unknown].filter(([, isUsed]) => isUsed).map(([member]) => member);
  if (missing.length > 0) throw new IngestError(fieldsMissing(dataset, resource, missing));
  return { files: files.written(), leftOut, empty: [...unknown.keys()] };
}

const hasValue = (value: unknown): boolean => value !== null && !(Array.isArray(value) && value.length === 0);

const mostNamed = 5;

const fieldsMissing = (dataset: string, resource: RecordName, missing: readonly string[]): string =>
  `${dataset} has values of ${missing.length} fields that ${resource} does not have here, such as ${missing.slice(0, mostNamed).join(", ")}: \`cadastre system learn <system> --metadata <address of the source>\` adds the local fields of a system`;

/**
 * Writes the keys of a dataset's removals to a file for each system that is taken. The system of a key is that of the record that is served
 * here; a key without a record is left out.
 */
export async function splitRemovals(
  delivery: StoredDelivery,
  { dataset, resource, keyField }: ReceivedDataset & { readonly keyField: string },
  taken: TakenSystems,
  store: BatchCheck["store"],
  folder: string,
): Promise<SplitRecords["files"]> {
  const files = new SystemFiles(folder, `${dataset}.removed`);
  try {
    for await (const lines of deliveredLines(delivery, dataset, "removals")) {
      const keys = lines.map((line) =>
        String((JSON.parse(line) as Readonly<Record<string, unknown>>)[keyField]),
      );
      for (const [key, record] of await servedRecords(store, resource, keys, [systemField])) {
        const system = taken.get(String(record[systemField]));
        if (system !== undefined) files.add(system, key);
      }
      await files.flush();
    }
  } finally {
    await files.close();
  }
  return files.written();
}

/** Files of lines, one for each system that has one. */
class SystemFiles {
  readonly #folder: string;
  readonly #name: string;
  readonly #files = new Map<
    string,
    { handle?: FileHandle; path: string; lines: number; pending: string[] }
  >();

  constructor(folder: string, name: string) {
    this.#folder = folder;
    this.#name = name;
  }

  add(system: string, line: string): void {
    const path = join(this.#folder, `${this.#name}.${system}.jsonl`);
    const file = this.#files.get(system) ?? { path, lines: 0, pending: [] };
    file.pending.push(line);
    file.lines++;
    this.#files.set(system, file);
  }

  async flush(): Promise<void> {
    for (const file of this.#files.values()) {
      if (file.pending.length === 0) continue;
      file.handle ??= await open(file.path, "w", 0o600);
      await file.handle.write(`${file.pending.splice(0).join("\n")}\n`);
    }
  }

  async close(): Promise<void> {
    for (const { handle } of this.#files.values()) await handle?.close();
  }

  written(): SplitRecords["files"] {
    return new Map([...this.#files].map(([system, { path, lines }]) => [system, { path, lines }]));
  }
}
