import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { expect, test } from "vitest";
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

const commands = commandsOf(await createOperatorProgram()).filter(({ command }) =>
  command.options.some(({ long }) => long === "--json"),
);

/** A folder without a service, in which nothing can be found or created. */
const missing = join(mkdtempSync(join(tmpdir(), "cadastre-json-")), "missing");

/** Command lines in place of examples that need no service. */
const failing: Readonly<Record<string, string>> = {
  "entitlement keygen": `cadastre entitlement keygen --out ${missing}/issuer.json`,
};

/** Returns the arguments of a command that can only fail, as there is no service and no file. */
const failingArguments = (path: string): readonly string[] =>
  [...(failing[path] ?? operatorExamples[path]?.[0] ?? "").matchAll(/"([^"]*)"|(\S+)/g)]
    .map(([, quoted, plain = ""]) => quoted ?? plain)
    .slice(1);

const inMissingFolder = (args: readonly string[]) =>
  cadastre(args, { environment: { CADASTRE_DATA: missing } });

/** Expects that nothing but JSON was printed as the result, and returns the error. */
function failureIn({ stdout, stderr }: Awaited<ReturnType<typeof cadastre>>) {
  if (stdout !== "") JSON.parse(stdout);
  const failure = JSON.parse(stderr.split("\n").at(-1) ?? "") as Readonly<Record<string, unknown>>;
  expect(failure).toMatchObject({
    error: expect.stringMatching(/^[a-z_]+$/) as string,
    message: expect.stringMatching(/^[^\n]/) as string,
  });
  return failure;
}

test("commands for machines are found", () => {
  expect(commands.map(({ path }) => path)).toEqual(expect.arrayContaining(["key list", "publish"]));
});

test.each(commands)("$path --json prints a wrong command line as JSON", async ({ command, path }) => {
  const unknown = await cadastre([...path.split(" "), ...required(command), "--json", "--no-such-option"]);
  expect(unknown.code).toBe(operatorExitCodes.usage);
  expect(unknown.stderr).toMatch(/^\{.*\}$/);
  const failure = failureIn(unknown);
  expect(failure).toMatchObject({ error: "unknown_option", target: "--no-such-option" });
  expect(failure["allowed"]).toEqual(expect.arrayContaining(["--json", "--help"]));

  if (!command.registeredArguments.some(({ required: isRequired }) => isRequired)) return;
  const lacking = await cadastre([...path.split(" "), ...required(command), "--json"]);
  expect([lacking.code, failureIn(lacking)]).toEqual([
    operatorExitCodes.usage,
    expect.objectContaining({ error: "missing_argument", target: command.registeredArguments[0]?.name() }),
  ]);
});

/** Returns a value for each required option. */
const required = (command: Command): readonly string[] =>
  command.options
    .filter(({ mandatory }) => mandatory)
    .flatMap(({ long, argChoices }) => [long ?? "", argChoices?.[0] ?? "value"]);

test.runIf(onFiles).each(commands)("$path --json prints what it fails of as JSON", async ({ path }) => {
  const failed = await inMissingFolder([...failingArguments(path), "--json"]);
  expect(failed.code).toBe(operatorExitCodes.refused);
  expect(failed.stderr).not.toContain("    at ");
  expect(failureIn(failed)["error"]).not.toBe("internal_error");
});

test("a value that is not allowed comes with those that are", async () => {
  expect(failureIn(await cadastre(["publish", "House", "--json"]))).toMatchObject({
    error: "invalid_value",
    target: "resources",
    allowed: expect.arrayContaining(["Property", "Media"]) as string[],
  });
  expect(failureIn(await cadastre(["key", "creat", "--json"]))).toMatchObject({
    error: "unknown_command",
    target: "creat",
    allowed: expect.arrayContaining(["create", "list"]) as string[],
  });
});
