import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { compilePackages } from "@cadastre/odata/testing";
import { apiKey } from "./server.ts";

/** File of the compiled program. */
export const mainFile = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
await compilePackages();

/** True if `script` of util-linux is there, which gives a program a terminal. */
export const hasTerminal = spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes(
  "util-linux",
);

/** Runs the program on a terminal. `answer` is typed once the output contains `prompt`. Returns what the terminal shows. */
export async function runOnTerminal(
  args: readonly string[],
  {
    prompt,
    answer = "",
    env = {},
  }: {
    readonly prompt?: string;
    readonly answer?: string;
    readonly env?: Readonly<Record<string, string>>;
  } = {},
): Promise<{ readonly code: number | null; readonly screen: string }> {
  const command = [process.execPath, mainFile, ...args].map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["-qec", command, "/dev/null"], {
    env: { PATH: process.env["PATH"], TERM: "xterm", CADASTRE_API_KEY: apiKey, ...env },
  });
  let screen = "";
  let isAsked = false;
  child.stdout.on("data", (chunk: Buffer) => {
    screen += chunk.toString();
    if (prompt === undefined || isAsked || !screen.includes(prompt)) return;
    isAsked = true;
    child.stdin.write(answer);
  });
  const code = await new Promise<number | null>((resolve) => void child.once("close", resolve));
  return { code, screen };
}
