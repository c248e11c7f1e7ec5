import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Row } from "./deliveries.ts";
import { engines } from "./engines.ts";
import { emptyFolder } from "./folders.ts";

/** A place for a replica, and the records in it. */
export type ReplicaPlace = {
  readonly target: string;
  /** Records in the order of their keys; none if there is no copy yet. */
  readonly rows: () => Promise<readonly Row[]>;
  /** Runs a statement, in a database. */
  readonly exec: (sql: string) => Promise<void>;
};

export const byKey = (rows: readonly Row[]): readonly Row[] =>
  rows.toSorted((a, b) => (String(a["ListingKey"]) < String(b["ListingKey"]) ? -1 : 1));

async function folderPlace(): Promise<ReplicaPlace> {
  const target = emptyFolder();
  return {
    target,
    rows: async () => {
      const lines = readFileSync(join(target, "Property.jsonl"), "utf8").split("\n").filter(Boolean);
      const last = new Map(
        lines.map((line) => JSON.parse(line) as Row).map((row) => [row["ListingKey"], row]),
      );
      return byKey([...last.values()].filter((row) => row["@removed"] === undefined));
    },
    exec: () => Promise.reject(new TypeError("a folder takes no statements")),
  };
}

/** Kinds of places, by name. PostgreSQL needs `withPostgres`. */
export const replicaPlaces = [
  { name: "a folder", isAbsent: false, isDatabase: false, begin: folderPlace },
  ...engines
    .filter(({ name }) => name !== "DuckDB")
    .map(({ name, isAbsent, begin }) => ({
      name,
      isAbsent,
      isDatabase: true,
      begin: async (): Promise<ReplicaPlace> => {
        const { target, all, exec } = await begin();
        const rows = async () =>
          byKey(
            (await all('select record from "Property"')).map(({ record }) =>
              typeof record === "string" ? (JSON.parse(record) as Row) : (record as Row),
            ),
          );
        return { target, rows, exec };
      },
    })),
];
