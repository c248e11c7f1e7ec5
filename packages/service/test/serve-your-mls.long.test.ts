import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compilePackages, freePort, hasPostgres, startPostgres } from "@cadastre/odata/testing";
import { describe, expect, test } from "vitest";

const guides = new URL("../../../docs/guides/", import.meta.url);
const compiled = new URL("../dist/", import.meta.url).pathname;

/** Returns the commands of the blocks with a mark. */
const blocksOf = (page: string, mark: string): readonly string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`sh ${mark}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(
    ([, commands = ""]) => commands,
  );

/** Runs the commands of a guide in an empty folder, with the programs as they are published. */
async function runGuide(blocks: readonly string[], variables: Readonly<Record<string, string | number>>) {
  await compilePackages();
  const scratch = mkdtempSync(join(tmpdir(), "cadastre-own-mls-"));
  const script = [
    // A service in the background takes the place of its job's shell, so that `wait` waits for the service itself.
    `npm() { if [ "$1" = start ]; then run '${compiled}start.js'; else run '${compiled}cli/main.js' "\${@:5}"; fi; }`,
    'run() { if [ "$BASHPID" = $$ ]; then node "$@"; else exec node "$@"; fi; }',
    "trap 'kill $(jobs -p); wait' EXIT",
    ...blocks,
  ].join("\n");
  try {
    return spawnSync("bash", ["-euo", "pipefail", "-c", script], {
      cwd: scratch,
      encoding: "utf8",
      env: {
        PATH: process.env["PATH"],
        HOME: join(scratch, "home"),
        ...Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, String(value)])),
      },
      timeout: 240_000,
    });
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

describe("the guide leads from an empty folder to the first answer to a customer", () => {
  const page = readFileSync(new URL("serve-your-mls.md", guides), "utf8");
  const blocks = blocksOf(page, "run");
  const check = async (commands: readonly string[], variables: Readonly<Record<string, string>> = {}) => {
    const port = await freePort();
    const { status, stdout, stderr } = await runGuide(commands, { ...variables, PORT: port });
    expect([status, stderr]).toEqual([0, expect.stringContaining("Property serves the build")]);
    for (const [, told = ""] of page.matchAll(/^```text\n([\s\S]*?)^```$/gm)) expect(stdout).toContain(told);
    expect(stdout).toContain("no private key of an issuer is here");
    const [, answer = ""] = /^```json\n([\s\S]*?)^```$/m.exec(page) ?? [];
    const given = stdout.slice(stdout.indexOf('{"@odata.context"')).replaceAll(`:${port}/`, ":8080/");
    expect(JSON.parse(given)).toEqual(JSON.parse(answer));
  };

  test("on SQLite", { timeout: 600_000 }, () => check(blocks));

  test.skipIf(!hasPostgres)(
    "on PostgreSQL, with the two commands that differ",
    { timeout: 600_000 },
    async () => {
      const server = await startPostgres();
      try {
        // A block that differs takes the place of the line that begins with the same command.
        let commands = blocks.join("");
        for (const block of blocksOf(page, "postgres")) {
          const [, begin = ""] = /(npm run --silent cadastre -- \S+)/.exec(block) ?? [];
          const line = commands.split("\n").find((one) => one.startsWith(begin)) ?? "";
          expect(line).not.toBe("");
          commands = commands.replace(line, () => block.trimEnd());
        }
        expect(commands).toContain("--admin-url");
        await check([commands], { ADMIN_URL: server.url.replace(/[^/]*$/, "cadastre") });
      } finally {
        await server.stop();
      }
    },
  );
});

test("the guide for a RESO Web API leads from a second demo to what a customer sees of it", async () => {
  const page = readFileSync(new URL("from-a-web-api.md", guides), "utf8");
  const { status, stdout, stderr } = await runGuide(blocksOf(page, "run"), {
    PORT: await freePort(),
    SOURCE_PORT: await freePort(),
  });
  expect([status, stderr]).toEqual([0, expect.stringContaining("acme")]);
  const given = stdout.slice(stdout.indexOf('{"@odata.context"'));
  const { "@odata.count": count } = JSON.parse(given) as { readonly "@odata.count": number };
  const [, staged = ""] = /Property +(\d+) +(\d+)/.exec(stdout) ?? [];
  expect([count > 10, staged]).toEqual([true, String(count)]);
}, 600_000);
