import { join } from "node:path";
import { type BenchPostgres, startBenchPostgres } from "./postgres-server.ts";

export const databases = ["SQLite", "PostgreSQL"] as const;
export type Database = (typeof databases)[number];

/** Options of `npm run bench`, as numbers. */
export type Sizes = {
  readonly listings: number;
  readonly dictionary: number;
  readonly sample: number;
  readonly megabytes: number;
  readonly rounds: number;
  readonly warm: number;
  readonly seconds: number;
  readonly pages: number;
  readonly mix: number;
};

/** What the rows of a table share. */
export type Bench = {
  readonly database: Database;
  readonly sizes: Sizes;
  readonly resoTools: string | undefined;
  readonly folder: string;
  /** Undefined on SQLite. */
  readonly postgres: BenchPostgres | undefined;
  /** Returns the file or URL of a new, empty database. */
  readonly createDatabase: (name: string) => Promise<string>;
  /** Makes what several rows use when the first of them asks for it. */
  readonly shared: <T>(name: string, make: () => Promise<T>) => Promise<T>;
  /** Registers what {@link Bench.stop} does. */
  readonly onStop: (stop: () => Promise<void>) => void;
  readonly stop: () => Promise<void>;
};

export async function openBench(
  database: Database,
  given: Pick<Bench, "sizes" | "resoTools" | "folder">,
): Promise<Bench> {
  const postgres = database === "PostgreSQL" ? await startBenchPostgres() : undefined;
  const made = new Map<string, Promise<unknown>>();
  const stops: (() => Promise<void>)[] = postgres === undefined ? [] : [postgres.stop];
  return {
    ...given,
    database,
    postgres,
    createDatabase: async (name) => postgres?.createDatabase() ?? join(given.folder, `${name}.sqlite`),
    shared: <T>(name: string, make: () => Promise<T>) => {
      const known = (made.get(name) as Promise<T> | undefined) ?? make();
      made.set(name, known);
      return known;
    },
    onStop: (stop) => void stops.unshift(stop),
    stop: async () => {
      for (const stop of stops) await stop();
    },
  };
}
