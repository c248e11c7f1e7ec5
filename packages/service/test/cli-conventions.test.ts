import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compilePackages } from "@cadastre/odata/testing";
import type { Command } from "commander";
import { describe, expect, onTestFinished, test } from "vitest";
import { operatorExamples } from "../src/cli/examples.ts";
import { operatorExitCodeMeanings, operatorExitCodes } from "../src/cli/outcome.ts";
import { createOperatorProgram } from "../src/cli/program.ts";
import { cadastre } from "./support/cli.ts";

const packageFolder = fileURLToPath(new URL("..", import.meta.url));
const { version } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")) as {
  version: string;
};

type Found = { readonly path: string; readonly command: Command };

const commandsOf = (command: Command, path: readonly string[] = []): readonly Found[] => [
  { path: path.join(" "), command },
  ...command.commands.flatMap((one) => commandsOf(one, [...path, one.name()])),
];

const commands = commandsOf(await createOperatorProgram());
// Which systems there are is the operator's data.
for (const { command } of commands)
  for (const option of command.options) if (option.long === "--source") delete option.parseArg;

const commandAt = (path: string): Command | undefined => commands.find((one) => one.path === path)?.command;

test("every command has examples, and every example has a command", () => {
  expect(Object.keys(operatorExamples).toSorted()).toEqual(commands.map(({ path }) => path).toSorted());
});

/** Splits a command line as a shell does, as far as the examples need it. */
const wordsIn = (line: string): readonly string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain = ""]) => quoted ?? plain);

const examples = Object.entries(operatorExamples).flatMap(([path, lines]) =>
  lines.filter((line) => line.startsWith("cadastre ")).map((line) => [path, line] as const),
);

test.each(examples)("the example of `%s` has the options and arguments that it needs: %s", (path, line) => {
  const words = wordsIn(line.replace(/ > .*/, "")).slice(1);
  const named = words.findIndex((_, i) => commandAt(words.slice(0, i + 1).join(" ")) === undefined);
  const called = named < 0 ? words : words.slice(0, named);
  if (path !== "") expect(called.join(" ")).toMatch(new RegExp(`^${path}`));
  const command = commandAt(called.join(" "));
  const { operands, unknown } = command?.parseOptions(words.slice(called.length)) ?? {
    operands: [],
    unknown: ["?"],
  };
  expect(unknown).toEqual([]);
  const missing = command?.options.filter(
    (option) => option.mandatory && command.getOptionValue(option.attributeName()) === undefined,
  );
  expect(missing).toEqual([]);
  const needed = command?.registeredArguments.filter(({ required }) => required).length ?? 0;
  const takesMore = command?.registeredArguments.some(({ variadic }) => variadic) === true;
  expect(operands.length).toBeGreaterThanOrEqual(needed);
  if (!takesMore) expect(operands.length).toBeLessThanOrEqual(command?.registeredArguments.length ?? 0);
});

test("the version is that of the package, and takes no command to be loaded", async () => {
  for (const option of ["--version", "-V"])
    expect(await cadastre([option])).toEqual({ code: 0, stdout: version, stderr: "" });
});

test("the help has the exit codes, and so has the README", async () => {
  const { stdout } = await cadastre(["--help"]);
  const readme = readFileSync(join(packageFolder, "README.md"), "utf8");
  for (const [name, means] of Object.entries(operatorExitCodeMeanings)) {
    const code = operatorExitCodes[name as keyof typeof operatorExitCodes];
    expect(stdout).toContain(`${code}  ${means}`);
    expect(readme).toContain(`| ${code} | ${means} |`);
  }
});

describe("a wrong command line", () => {
  test.each<readonly [readonly string[], string]>([
    [["kye"], "unknown command 'kye'\n(Did you mean key?)\n`cadastre --help` shows"],
    [["key", "creat"], "unknown command 'creat'\n(Did you mean create?)\n`cadastre key --help` shows"],
    [["publish", "--alow-shrink"], "(Did you mean --allow-shrink?)\n`cadastre publish --help` shows"],
    [["completion", "csh"], "'csh' is invalid for argument 'shell'. Allowed choices are bash, zsh, fish."],
  ])("%j tells what may be meant, and names the help", async (args, words) => {
    const { code, stderr } = await cadastre(args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  });
});

test("bash completes the commands, options and values of the program", async () => {
  const { code, stdout: script } = await cadastre(["completion", "bash"]);
  expect(code).toBe(0);
  const proposed = (...words: readonly string[]) => {
    const line = ["cadastre", ...words].map((word) => `'${word}'`).join(" ");
    const ask = `COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _cadastre; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", `${script}\n${ask}`], { encoding: "utf8" });
    expect(stderr).toBe("");
    return stdout.split("\n").filter((word) => word !== "");
  };
  expect(proposed("entitlement", "in")).toEqual(["inspect", "install"]);
  expect(proposed("rollback", "Prop")).toEqual(["Property"]);
  expect(proposed("migrate", "--partition", "")).toEqual(["list", "hash"]);
  for (const { path, command } of commands) {
    const words = path === "" ? [] : path.split(" ");
    const options = command
      .createHelp()
      .visibleOptions(command)
      .map(({ long }) => long ?? "");
    expect(proposed(...words, "--")).toEqual(options);
  }
});

test("a reader that ends early, as `head` does, is no fault", async () => {
  await compilePackages();
  const piped = 'set -o pipefail; "$0" "$1" --help | true';
  const main = join(packageFolder, "dist/cli/main.js");
  expect(spawnSync("bash", ["-c", piped, process.execPath, main]).status).toBe(0);
});

test("`npx @cadastre/service` runs the same program as `cadastre`", async () => {
  await compilePackages();
  const folder = mkdtempSync(join(tmpdir(), "cadastre-npx-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  // As an installation lays them out: the package, and a link for its program.
  mkdirSync(join(folder, "node_modules/@cadastre"), { recursive: true });
  mkdirSync(join(folder, "node_modules/.bin"));
  writeFileSync(join(folder, "package.json"), '{"private":true}');
  symlinkSync(packageFolder, join(folder, "node_modules/@cadastre/service"));
  const { bin } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")) as {
    bin: Readonly<Record<string, string>>;
  };
  for (const [name, file] of Object.entries(bin)) {
    chmodSync(join(packageFolder, file), 0o755);
    symlinkSync(join("../@cadastre/service", file), join(folder, "node_modules/.bin", name));
  }
  for (const name of ["@cadastre/service", "cadastre"]) {
    const { status, stdout } = spawnSync("npx", ["--no-install", "--offline", name, "--version"], {
      cwd: folder,
      encoding: "utf8",
    });
    expect([status, stdout]).toEqual([0, `${version}\n`]);
  }
});
