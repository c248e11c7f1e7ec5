import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compilePackages } from "@cadastre/odata/testing";
import { expect, test } from "vitest";
import { findingCodes } from "../../src/check/findings.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const page = await readFile(join(root, "docs/operations.md"), "utf8");
const blocks = [...page.matchAll(/^```sh([^\n]*)\n([\s\S]*?)^```$/gm)].map(
  ([, kind = "", commands = ""]) => ({
    kind: kind.trim(),
    commands,
  }),
);

test("every block of commands on the page is one that is run", () => {
  expect(blocks.map(({ kind }) => kind)).toEqual(blocks.map(() => "run"));
});

/** Whether each command runs as the page has it, from its source: `DRILL=npm`. */
const isWhole = process.env["DRILL"] === "npm";
const program = (file: string) => fileURLToPath(new URL(`../../dist/${file}.js`, import.meta.url));

/** Runs `cadastre` and the service as they are published, in a third of the time. */
const compiledCommands = `
npm() {
  if [[ "$*" == "run --silent cadastre -- "* ]]; then node '${program("cli/main")}' "\${@:5}";
  elif [[ "$*" == start ]]; then node '${program("start")}';
  else command npm "$@"; fi
}`;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

test("the drill of the page backs up while serving, loses the folder, restores, checks and serves", async () => {
  const scratch = await mkdtemp(join(tmpdir(), "cadastre-drill-"));
  // Results and messages come by one pipe, in their order. No service outlives the test, and nothing waits for one that has ended.
  const begin = `exec 2>&1
trap 'for job in $(jobs -p); do kill -KILL -- -$job; done' EXIT
sleep() { jobs %npm > /dev/null && command sleep "$@"; }`;
  const script = [begin, isWhole ? "" : compiledCommands, ...blocks.map(({ commands }) => commands)].join(
    "\n",
  );
  if (!isWhole) await compilePackages();
  const shell = spawn("bash", ["-euo", "pipefail", "-c", script], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      ...process.env,
      PORT: String(await freePort()),
      CADASTRE_DATA: join(scratch, "data"),
      CADASTRE_LISTINGS: "40",
      BACKUPS: join(scratch, "backups"),
      LOG: join(scratch, "log"),
    },
  });
  let output = "";
  shell.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString("utf8");
  });
  // Its output ends with the last service that writes to it, so that nobody uses the folder any more.
  const [code] = (await once(shell, "close")) as [number | null];
  expect([code, output]).toEqual([0, expect.stringContaining("Nothing is damaged or missing in")]);
  expect(output.match(/^Backed up /gm)).toHaveLength(2);
  expect(output.match(/^Restored /gm)).toHaveLength(2);
  expect(output).toContain("The data from before is in");
  expect(output.trimEnd().endsWith(`[]\nNothing is damaged or missing in ${join(scratch, "data")}.`)).toBe(
    true,
  );
  await rm(scratch, { recursive: true, force: true });
}, 600_000);

test("the page tells every code of a finding", () => {
  const [, table = ""] = /^\| Code \| Found \|\n([\s\S]*?)\n\n/m.exec(page) ?? [];
  const told = [...table.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, code = ""]) => code),
  );
  expect(told.toSorted()).toEqual(Object.keys(findingCodes).toSorted());
});
