import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Runs another bench, on both cores. Returns its standard output. @throws {Error} if it fails and has printed nothing */
export async function outputOf(program: string, ...given: readonly string[]): Promise<string> {
  const node = [process.execPath, "--conditions=@cadastre/source", "--import", "./scripts/source.mjs"];
  const child = spawn("taskset", ["-c", "0-1", ...node, `packages/${program}`, ...given], {
    cwd: root,
    // The packages are compiled already.
    env: { ...process.env, BENCH_BUILT: "1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0 && output === "") throw new Error(`${program} failed`);
  return output;
}

/** A row of a printed table: its cells by the names of the columns. */
type Printed = (column: string) => string;

/** Returns the rows of a printed Markdown table. */
export function rowsOf(markdown: string): readonly Printed[] {
  const [head = [], , ...rows] = markdown
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  return rows.map((cells) => (column) => {
    const cell = cells[head.indexOf(column)];
    if (cell === undefined) throw new RangeError(`no column ${column} is printed`);
    return cell;
  });
}

/** Reads a printed number, with commas or without. */
export const numberIn = (cell: string): number => Number(cell.replaceAll(",", ""));
