import type { Bench, Database } from "../bench.ts";
import type { Peer } from "../subjects.ts";

/** A figure of a server, or the reason why there is none. */
export type Figure = number | string;

/** Measures a figure once, or the reason why that is not possible. */
export type Measure = string | ((bench: Bench) => Promise<Figure>);

export type Goal = {
  readonly sign: "≤" | "≥";
  readonly value: number;
  /** `floor`: the goal is for the ratio to the floor. */
  readonly of: "figure" | "floor";
};

export const atMost = (value: number): Goal => ({ sign: "≤", value, of: "figure" });
export const atLeast = (value: number): Goal => ({ sign: "≥", value, of: "figure" });
export const atMostOfFloor = (value: number): Goal => ({ sign: "≤", value, of: "floor" });
export const atLeastOfFloor = (value: number): Goal => ({ sign: "≥", value, of: "floor" });

/** A row of the table of `npm run bench`. To add one, write it and name it in `rows.ts`. */
export type Row = {
  readonly name: string;
  readonly unit: "CPU ms" | "MB" | "MB/s" | "ms" | "requests/s" | "rows/s" | "s" | "×";
  readonly goals: Partial<Record<Database, Goal>>;
  /** True if a measurement has rounds of its own, so that it is made once. */
  readonly once?: true;
  readonly ours: Measure;
  readonly floor: Measure;
  readonly peers: Readonly<Record<Peer, Measure>>;
};

/** Peers of a row that only the service can answer. */
export const peersCannot: Row["peers"] = {
  "naive code": "cannot",
  "SAP CAP": "cannot",
  "reso-tools": "cannot",
};

/** A measurement of what is only measured on SQLite. */
export const onSqlite =
  (measure: (bench: Bench) => Promise<Figure>): Measure =>
  async (bench) =>
    bench.database === "SQLite" ? measure(bench) : "on SQLite only";
