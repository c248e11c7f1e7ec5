// Exports of listings with 60 fields, against what the tools of the system take for the same rows:
//   node --conditions=@cadastre/source --import ./scripts/source.mjs packages/delivery/bench/formats.ts [rows] [folder that is kept]
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { measure } from "./measure.ts";
import { prepare, tableFile } from "./prepare.ts";

const rows = Number(process.argv[2] ?? 10_000);
const kept = process.argv[3];
const folder = kept ?? mkdtempSync(join(tmpdir(), "cadastre-formats-"));
mkdirSync(folder, { recursive: true });
await prepare(folder, rows);

const node = `${process.execPath} --conditions=@cadastre/source --import ./scripts/source.mjs`;
const program = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const out = join(folder, "out");
const select = (form: string) => `sqlite3 ${form} ${tableFile(folder)} 'select * from listing order by 1'`;

const floors = {
  jsonl: `${select("-json")} | gzip -6 > ${out}/floor`,
  csv: `${select("-csv -header")} | gzip -6 > ${out}/floor`,
  parquet: `${select("-json")} > ${out}/floor.json && ${node} ${program("./copy.ts")} ${out}/floor.json ${out}/floor`,
} as const;

/** Seconds that `export` waits at its end, see there. */
const waited = { jsonl: 0, csv: 0, parquet: 6 } as const;

const size = (files: string) =>
  Number(execFileSync("bash", ["-c", `cat ${out}/${files} | wc -c`], { encoding: "utf8" })) / 1e6;

for (const [format, floor] of Object.entries(floors)) {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out);
  const theirs = await measure(floor);
  const ours = await measure(`${node} ${program("./export.ts")} ${folder} ${format} ${out}`);
  const line = [
    format.padEnd(8),
    `cpu ${ours.cpu.toFixed(1)} s, floor ${theirs.cpu.toFixed(1)} s, ratio ${(ours.cpu / theirs.cpu).toFixed(2)}`,
    `wall ${(ours.wall - (waited[format as keyof typeof waited] ?? 0)).toFixed(1)} s, floor ${theirs.wall.toFixed(1)} s`,
    `peak ${ours.peak.toFixed(0)} MB, floor ${theirs.peak.toFixed(0)} MB`,
    `${size("part-*").toFixed(1)} MB, floor ${size("floor").toFixed(1)} MB`,
  ];
  console.log(line.join("; "));
}
if (kept === undefined) rmSync(folder, { recursive: true });
