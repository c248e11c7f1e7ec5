import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { operatorExamples } from "../src/cli/examples.ts";
import { operatorExitCodes } from "../src/cli/outcome.ts";
import { createOperatorProgram } from "../src/cli/program.ts";
import { cadastre } from "./support/cli.ts";
import { onFiles } from "./support/test-database.ts";

type Found = { readonly path: string; readonly command: Command };

const commandsOf = (command: Command, path: readonly string[] = []): readonly Found[] => [
  { path: path.join(" "), command },
  ...command.commands.flatMap((one) => commandsOf(one, [...path, one.name()])),
];

/** Commands that run until a signal stops them. */
const endless: ReadonlySet<string> = new Set(["serve", "worker"]);

const commands = commandsOf(await createOperatorProgram()).filter(
  ({ path, command }) =>
    path !== "" && !endless.has(path) && (command.commands.length === 0 || path === "init"),
);

const workingFolder = process.cwd();
const folder = mkdtempSync(join(tmpdir(), "cadastre-manners-"));
const fresh = join(folder, "fresh");
const data = join(folder, "data");
const environment = { CADASTRE_DATA: data, CADASTRE_LISTINGS: "0" };

/** Wrong values, by what is wrong with them. None of them can be created or reached. */
const wrongValues = {
  "an empty text": "",
  "a missing file": join(folder, "missing", "file"),
  "a folder": folder,
  "an empty file": join(folder, "empty"),
  "a huge number": "9".repeat(400),
  "a negative number": "-1",
  "a text with control characters": "a\u001b[2J\nb",
} as const;

beforeAll(async () => {
  writeFileSync(wrongValues["an empty file"], "");
  mkdirSync(join(folder, "elsewhere"));
  // Some values are names of files that commands create.
  process.chdir(join(folder, "elsewhere"));
  const { code } = await cadastre([
    "init",
    "--yes",
    "--config",
    join(folder, "cadastre.yaml"),
    "--data",
    fresh,
    "--issuer-key",
    join(folder, "issuer.json"),
    "--systems",
    "acme:Acme MLS:IL",
  ]);
  expect(code).toBe(operatorExitCodes.done);
});
beforeEach(() => {
  rmSync(data, { recursive: true, force: true });
  cpSync(fresh, data, { recursive: true });
});
afterAll(() => {
  process.chdir(workingFolder);
  rmSync(folder, { recursive: true, force: true });
});

/** Returns the arguments of the first example of a command, with no address that could be asked, and no folder outside of the test's. */
const exampleOf = (path: string): readonly string[] =>
  [...(operatorExamples[path]?.[0] ?? "").replace(/ > .*/, "").matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)]
    .map(([, double, single, plain = ""]) => double ?? single ?? plain)
    .slice(1)
    .map((word) =>
      word.startsWith("https://feed")
        ? "ftp://feed.example"
        : word.replace("/backups", join(folder, "backups")),
    );

/** Expects that a person can act on what was printed. */
function expectManners(args: readonly string[], { code, stderr }: Awaited<ReturnType<typeof cadastre>>) {
  const said = `cadastre ${args.join(" ")}\n${stderr}`;
  expect([operatorExitCodes.done, operatorExitCodes.refused, operatorExitCodes.usage], said).toContain(code);
  // Stack traces, messages of libraries, and codes of the system without a word.
  expect(stderr, said).not.toMatch(
    /^ {4}at |ZodError|Too (?:small|big)|Invalid (?:input|option|key|string)/m,
  );
  expect(stderr, said).not.toMatch(/(?:read|written|made|cannot) \(E[A-Z]+\)|\bE[A-Z]{4,}: /);
  expect(stderr, said).not.toMatch(/undefined|\[object |NaN/);
  if (code !== operatorExitCodes.done) expect(stderr, said).toMatch(/[a-z]{3}/);
}

describe.runIf(onFiles).each(commands)("$path", ({ path, command }) => {
  const example = exampleOf(path);
  const operands = example.slice(path.split(" ").length);

  const options = command.options.filter(({ required, optional }) => required || optional);
  test.runIf(options.length > 0)("answers each wrong value of an option in words", async () => {
    for (const { long } of options)
      for (const value of Object.values(wrongValues)) {
        const args = [...example, `${long}=${value}`];
        expectManners(args, await cadastre(args, { environment }));
      }
  });

  const arity = command.registeredArguments.length;
  test.runIf(arity > 0)("answers each wrong argument in words", async () => {
    const kept = operands.slice(
      0,
      operands.findIndex((word) => word.startsWith("--")),
    );
    for (const value of Object.values(wrongValues)) {
      const needed = example.filter((word) => word.startsWith("--") || !kept.includes(word));
      const args = [...needed, "--", ...command.registeredArguments.map(() => value)];
      expectManners(args, await cadastre(args, { environment }));
    }
  });

  test("shows an example in its help", async () => {
    const { code, stdout } = await cadastre([...path.split(" "), "--help"], {
      environment: { NO_COLOR: "1" },
    });
    expect([code, stdout]).toEqual([
      operatorExitCodes.done,
      expect.stringMatching(new RegExp(`^Examples:\n  .*cadastre ${path.split(" ")[0]}`, "m")),
    ]);
    expect(stdout).not.toContain("\u001b[");
  });
});
