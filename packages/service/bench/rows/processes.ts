import { numberIn, outputOf, rowsOf } from "../printed.ts";
import { atLeast, onSqlite, peersCannot, type Row } from "./row.ts";

/** Look-ups by key that two cores can answer with two processes, divided by those with one. */
export const processesRow: Row = {
  name: "key, 2 processes ÷ 1",
  unit: "×",
  goals: { SQLite: atLeast(1.8) },
  once: true,
  ours: onSqlite(async ({ sizes }) => {
    const settings = sizes.rounds > 1 ? [] : ["--rounds", "1", "--warm", "100", "--requests", "100"];
    const listings = ["--listings", String(Math.min(5000, sizes.sample))];
    const given = ["--look-ups", "key", ...listings, ...settings];
    const rows = rowsOf(await outputOf("service/bench/scale-up.ts", ...given));
    const two = rows.find((row) => row("processes") === "2");
    return two === undefined ? "not printed" : numberIn(two("÷ one process"));
  }),
  floor: "cannot",
  peers: peersCannot,
};
