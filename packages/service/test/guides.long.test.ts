import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compilePackages } from "@cadastre/odata/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Running, run } from "./support/running.ts";
import { withDatabase } from "./support/test-database.ts";

const root = join(import.meta.dirname, "../../..");

/** The programs that pages call, by the names that they have there. */
const programs = {
  cadastre: "packages/service/dist/cli/main.js",
  "cadastre-client": "packages/client/dist/cli/main.js",
  duckdb: "packages/client/test/support/duckdb-shell.mjs",
};
const functions = Object.entries(programs)
  .map(([name, file]) => `${name}() { '${process.execPath}' '${join(root, file)}' "$@"; }\n`)
  .join("");

/** A block of commands of a guide, and the output that the guide shows, `…` for what differs each time. */
type GuideBlock = { readonly commands: string; readonly fails: boolean; readonly output: string | undefined };

const blocksOf = (page: string): readonly GuideBlock[] =>
  [...page.matchAll(/^```sh run( fails)?\n([\s\S]*?)^```$(?:\n+```text\n([\s\S]*?)^```$)?/gm)].map(
    ([, fails, commands = "", output]) => ({ commands, fails: fails !== undefined, output }),
  );

/** Returns the pattern of an output: a line `…` stands for any number of lines, and `…` within a line for any text. */
function patternOf(output: string): RegExp {
  const lines = output.trimEnd().split("\n");
  const patterns = lines.map((line) =>
    line === "…"
      ? "(?:.*\\n)*?"
      : `${line
          .split("…")
          .map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"))
          .join(".*")}\\n`,
  );
  return new RegExp(`^${patterns.join("")}$`);
}

const mark = "--- end of block";

/** Runs the blocks of a guide in one shell, at the service of the test. Returns the output and the exit code of each. */
async function runBlocks(blocks: readonly GuideBlock[], running: Running, folder: string) {
  const { host, port } = new URL(running.service.baseUrl);
  const script = blocks
    .map(({ commands }) => `{\n${commands.replaceAll("127.0.0.1:8080", host)}} 2>&1\necho "${mark} $?"\n`)
    .join("");
  const environment = withDatabase({
    CADASTRE_DATA: running.folder.path,
    PORT: port,
    CADASTRE_API_KEY: running.key("national"),
  });
  const shell = spawn("bash", ["-c", functions + script], {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let written = "";
  for (const stream of [shell.stdout, shell.stderr])
    stream.on("data", (chunk: Buffer) => {
      written += chunk.toString();
    });
  await once(shell, "close");
  const parts = written.replaceAll(host, "127.0.0.1:8080").split(new RegExp(`${mark} (\\d+)\\n`));
  return blocks.map((_, i) => ({ output: parts[2 * i] ?? "", code: Number(parts[2 * i + 1]) }));
}

/** Pages that need nothing but a service with the sample. */
const names = [
  "guides/give-access.md",
  "guides/change-access.md",
  "guides/retire-system.md",
  "tutorials/receive-data-daily.md",
  "how-to/python.md",
  "how-to/duckdb.md",
  "how-to/feed-another-cadastre.md",
];

describe.each(names)("docs/%s", (name) => {
  const blocks = blocksOf(readFileSync(join(root, "docs", name), "utf8"));
  let running: Running;
  let folder: string;
  beforeAll(async () => {
    await compilePackages();
    folder = await mkdtemp(join(tmpdir(), "cadastre-guide-"));
    running = await run({ CADASTRE_LISTINGS: "300" });
  }, 300_000);
  afterAll(async () => {
    await running.stop();
    await rm(folder, { recursive: true });
  });

  test("does what it says, word by word", async () => {
    expect(blocks.length).toBeGreaterThan(2);
    const results = await runBlocks(blocks, running, folder);
    for (const [i, { commands, output, fails }] of blocks.entries()) {
      const result = results[i];
      expect([commands, result?.code], result?.output).toEqual([commands, fails ? 1 : 0]);
      const text =
        result?.output.endsWith("\n") || result?.output === "" ? result.output : `${result?.output}\n`;
      if (output === undefined) expect([commands, text]).toEqual([commands, ""]);
      else if (!patternOf(output).test(text)) expect(text, commands).toBe(output);
    }
  }, 300_000);
});
