import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const program = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
const flags = ["--conditions=@cadastre/source", "--import", "./scripts/source.mjs"];

export type Ended = { readonly code: number | null; readonly out: string; readonly err: string };

/** Run `cadastre` in a process of its own. */
export async function cadastre(args: readonly string[], input = ""): Promise<Ended> {
  const child = spawn(process.execPath, [...flags, program, ...args], { cwd: root });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  child.stdin.end(input);
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, out: out.trimEnd(), err: err.trimEnd() };
}
