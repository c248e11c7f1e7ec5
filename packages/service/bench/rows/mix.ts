import type { Bench } from "../bench.ts";
import { numberIn, outputOf, rowsOf } from "../printed.ts";
import { atLeast, atMost, onSqlite, peersCannot, type Row } from "./row.ts";

const run = (bench: Bench) =>
  bench.shared("mix", async () => {
    const { sample, mix } = bench.sizes;
    const settings = { listings: sample, seconds: mix, warm: Math.ceil(mix / 4) };
    const given = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const [row] = rowsOf(await outputOf("service/bench/mix.ts", ...given));
    if (row === undefined) throw new Error("the mix has printed no figures");
    if (row("errors") !== "0") return "errors";
    return row;
  });

const figure = (...columns: readonly string[]) =>
  onSqlite(async (bench) => {
    const row = await run(bench);
    if (row === "errors") return row;
    const [first = Number.NaN, ...others] = columns.map((column) => numberIn(row(column)));
    return others.reduce((rest, other) => rest - other, first);
  });

const alone = { once: true, floor: "cannot", peers: peersCannot } as const;

/** The whole program under a mix of look-ups, pages, counts, places, media and `$metadata` on 64 connections. */
export const mixRows: readonly Row[] = [
  {
    name: "mix",
    unit: "requests/s",
    goals: { SQLite: atLeast(600) },
    ours: figure("requests/s"),
    ...alone,
  },
  { name: "mix, p99", unit: "ms", goals: { SQLite: atMost(250) }, ours: figure("p99 ms"), ...alone },
  {
    name: "mix, anonymous memory",
    unit: "MB",
    goals: { SQLite: atMost(512) },
    ours: figure("MB at the end", "of it mapped files"),
    ...alone,
  },
  {
    name: "mix, memory with mapped files",
    unit: "MB",
    goals: { SQLite: atMost(512) },
    ours: figure("MB at the end"),
    ...alone,
  },
];
