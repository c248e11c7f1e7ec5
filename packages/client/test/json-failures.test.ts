import { join } from "node:path";
import { exitCodes } from "@cadastre/client";
import { expect, test } from "vitest";
import { clientExamples } from "../src/cli/examples.ts";
import { createClientProgram } from "../src/cli/program.ts";
import { commandWords, withSubcommands } from "../src/terminal/conventions.ts";
import { emptyFolder } from "./support/folders.ts";
import { type Outcome, runHere } from "./support/program.ts";

const commands = withSubcommands(createClientProgram())
  .filter(({ options }) => options.some(({ long }) => long === "--json"))
  .map((command) => ({ command, path: commandWords(command).slice(1).join(" ") }));

/** Returns the arguments of the first example of a command, with a target in an empty folder. */
const exampleOf = (path: string): readonly string[] =>
  [...(clientExamples[path]?.[0] ?? "").matchAll(/"([^"]*)"|\S+/g)]
    .map(([word, quoted]) => quoted ?? word)
    .slice(1)
    .map((word, i, all) => (all[i - 1] === "--into" ? join(emptyFolder(), "copy") : word));

/** Expects that nothing but JSON was printed as the result, and returns the error. */
function failureIn({ stdout, stderr }: Outcome): Readonly<Record<string, unknown>> {
  for (const line of stdout.split("\n").filter((text) => text !== "")) JSON.parse(line);
  const failure = JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "") as Readonly<Record<string, unknown>>;
  expect(failure).toMatchObject({
    error: expect.stringMatching(/^[a-z_]+$/) as string,
    message: expect.stringMatching(/^[^\n]/) as string,
  });
  return failure;
}

test("commands for machines are found", () => {
  expect(commands.map(({ path }) => path)).toEqual(expect.arrayContaining(["pull", "subscriptions list"]));
});

test.each(commands)("$path --json prints a wrong command line as JSON", async ({ command, path }) => {
  const unknown = await runHere([...exampleOf(path), "--json", "--no-such-option"]);
  expect(unknown.code).toBe(exitCodes.usage);
  expect(unknown.stderr).toMatch(/^\{.*\}\n$/);
  const failure = failureIn(unknown);
  expect(failure).toMatchObject({ error: "unknown_option", target: "--no-such-option" });
  expect(failure["allowed"]).toEqual(expect.arrayContaining(["--json", "--help"]));

  const excess = await runHere([...exampleOf(path), "--json", ...Array<string>(9).fill("more")]);
  expect([excess.code, failureIn(excess)["error"]]).toEqual([exitCodes.usage, "excess_arguments"]);

  const missing = await runHere([...path.split(" "), "--json"]);
  if (command.options.some(({ mandatory }) => mandatory))
    expect([missing.code, failureIn(missing)]).toEqual([
      exitCodes.usage,
      expect.objectContaining({
        error: expect.stringMatching(/^missing_(?:option|argument)$/) as string,
        target: expect.any(String) as string,
      }),
    ]);
});

test.each(commands)("$path --json prints what it fails of as JSON", async ({ path }) => {
  // Without a key, whatever reads one fails.
  const failed = await runHere([...exampleOf(path), "--json"], "");
  expect(failed.stderr).toMatch(/^\{.*\}\n$/);
  expect(failed.code).toBe(exitCodes.usage);
  expect(failureIn(failed)["error"]).toBe(
    { verify: "file_unreadable", status: "copy_missing" }[path] ?? "api_key_invalid",
  );
});

test("a value that is not allowed comes with those that are", async () => {
  const args = ["subscribe", "--name", "a", "--domain", "listing", "--mode", "fax", "--json"];
  expect(failureIn(await runHere(args))).toEqual({
    error: "invalid_value",
    message: expect.stringContaining("Allowed choices are pull, push, both.") as string,
    target: "--mode",
    allowed: ["pull", "push", "both"],
  });
});

test("an error names the option that helps", async () => {
  const failed = await runHere(["verify", "data", "--json"]);
  expect(failureIn(failed)).toMatchObject({ error: "keys_or_unsigned", target: "--keys" });
});

test("after `--` the option is a word like any other", async () => {
  const { code, stderr } = await runHere(["verify", "--", "--json", "more"]);
  expect([code, stderr]).toEqual([exitCodes.usage, expect.stringMatching(/^error: too many arguments/)]);
});
