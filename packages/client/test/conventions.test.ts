import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { exitCodeMeanings } from "@cadastre/client";
import type { Command } from "commander";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { clientExamples } from "../src/cli/examples.ts";
import { createClientProgram } from "../src/cli/program.ts";
import { commandWords, withSubcommands } from "../src/terminal/conventions.ts";
import { runHere } from "./support/program.ts";
import { startServer, type TestServer } from "./support/server.ts";
import { remoteSubscription, subscriptionTrick } from "./support/subscriptions.ts";
import { hasTerminal, mainFile, runOnTerminal } from "./support/terminal.ts";

const commands = withSubcommands(createClientProgram());
const pathOf = (command: Command): string => commandWords(command).slice(1).join(" ");

test("every command has examples, and every example has a command", () => {
  expect(commands.map(pathOf).toSorted()).toEqual(Object.keys(clientExamples).toSorted());
});

/** Splits a command line as a shell does, as far as the examples need it. */
const wordsIn = (line: string): readonly string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain = ""]) => quoted ?? plain);

const examples = Object.entries(clientExamples).flatMap(([path, lines]) =>
  lines.filter((line) => line.startsWith("cadastre-client ")).map((line) => [path, line] as const),
);

test.each(examples)("the example of `%s` is one that the program takes: %s", async (path, line) => {
  const called: string[] = [];
  const program = createClientProgram();
  for (const command of withSubcommands(program)) command.action(() => void called.push(pathOf(command)));
  const [, ...args] = wordsIn(line).filter((word, i, all) => word !== ">" && all[i - 1] !== ">");
  await program.parseAsync(args, { from: "user" });
  expect(called).toHaveLength(1);
  if (path !== "") expect(called[0]).toMatch(new RegExp(`^${path}`));
});

test("the version is that of the package", async () => {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  for (const option of ["--version", "-V"])
    expect(await runHere([option])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
});

test("the help has the exit codes", async () => {
  const { stdout } = await runHere(["--help"]);
  for (const means of Object.values(exitCodeMeanings)) expect(stdout).toContain(means);
});

test("a wrong command line names the help of its command", async () => {
  const { code, stderr } = await runHere(["subscriptions", "list", "--url", "https://x.example", "--al"]);
  expect(code).toBe(2);
  expect(stderr).toContain("Did you mean --all?");
  expect(stderr).toContain("`cadastre-client subscriptions list --help` shows the options and examples.");
});

test.each<readonly [readonly string[], string]>([
  [
    ["--cadence", "59s"],
    "'--cadence <duration>' argument '59s' is invalid. It must be a duration from 1m to 31d",
  ],
  [["--cadence", "32d"], "It must be a duration from 1m to 31d"],
  [
    ["--minute", "24:00"],
    "'--minute <time>' argument '24:00' is invalid. It must be a time in UTC from 00:00 to 23:59",
  ],
  [["--minute", "1440"], "or a minute from 0 to 1439"],
  [["--mode", "fax"], "Allowed choices are pull, push, both."],
])("%j of subscribe names the option and what is allowed", async (args, words) => {
  const { code, stderr } = await runHere(["subscribe", "--name", "x", "--domain", "listing", ...args]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
});

describe("on a terminal", () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startServer();
    server.trick = subscriptionTrick(remoteSubscription);
  });
  afterEach(() => server.close());

  const has = test.runIf(hasTerminal);
  const cancel = () => ["subscriptions", "cancel", "nightly", "--url", server.url];
  const deleted = () => server.requests.filter(({ method }) => method === "DELETE").length;

  has.each([
    ["y\n", 0, 1],
    ["YES\n", 0, 1],
    ["\n", 2, 0],
    ["no\n", 2, 0],
    // Ctrl-C and the end of the input.
    ["\u0003", 2, 0],
    ["\u0004", 2, 0],
  ])("a deletion is confirmed by yes alone: %j", async (answer, code, deletions) => {
    const outcome = await runOnTerminal(cancel(), { prompt: "[y/N]", answer });
    expect(outcome.screen).toContain(
      "This ends the subscription `nightly` of listing for good. Go on? [y/N]",
    );
    expect([outcome.code, deleted()]).toEqual([code, deletions]);
  });

  has("with --yes nothing is asked", async () => {
    const { code, screen } = await runOnTerminal([...cancel(), "--yes"]);
    expect([code, deleted()]).toEqual([0, 1]);
    expect(screen).not.toContain("Go on?");
  });

  has("what takes more than two seconds shows that it works, and leaves no trace", async () => {
    const answer = server.trick;
    server.trick = async (...request) => {
      await new Promise((resolve) => setTimeout(resolve, 3500));
      return answer(...request);
    };
    const list = ["subscriptions", "list", "--url", server.url];
    const { code, screen } = await runOnTerminal(list);
    expect(code).toBe(0);
    expect(screen).toContain("asking the service … 2 s");
    expect(screen.split("\r\u001b[K").at(-1)).toMatch(/^NAME /);
    expect((await runHere(list)).stderr).toBe("");
  });

  has("titles are bold, unless NO_COLOR is set", async () => {
    expect((await runOnTerminal(["--help"])).screen).toContain("\u001b[1mUsage:");
    expect((await runOnTerminal(["--help"], { env: { NO_COLOR: "1" } })).screen).not.toContain("\u001b[");
  });
});

test("a reader that ends early, as `head` does, is no fault", () => {
  const piped = 'set -o pipefail; "$0" "$1" --help | true';
  const { status, stderr } = spawnSync("bash", ["-c", piped, process.execPath, mainFile], {
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, ""]);
});

test("a name from the service cannot change what the terminal shows", async () => {
  const server = await startServer();
  server.trick = subscriptionTrick({ ...remoteSubscription, name: "a\u001b[2Jb\u202ec" });
  try {
    const { stdout } = await runHere(["subscriptions", "list", "--url", server.url]);
    expect(stdout).toContain("a�[2Jb�c");
    expect(stdout).toMatch(/in \d+ (?:months|years)/);
    const { stderr } = await runHere(["subscriptions", "show", "x", "--url", server.url]);
    expect(stderr).toContain("there is `a�[2Jb�c`");
  } finally {
    await server.close();
  }
});
