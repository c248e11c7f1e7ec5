import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  ClientError,
  type ClientErrorCode,
  clientErrors,
  exitCodeMeanings,
  exitCodes,
} from "@cadastre/client";
import { expect, test } from "vitest";
import { consequenceOfCode } from "../src/failures.ts";
import { runHere } from "./support/program.ts";

const file = fileURLToPath(new URL("../../../docs/client.md", import.meta.url));
const page = readFileSync(file, "utf8");

/** The table under a heading row, without it. */
const tableUnder = (heading: string) => {
  const start = page.indexOf(heading) + heading.length;
  return { start, rows: /^(?:\|.*\n)*/.exec(page.slice(start))?.[0] ?? "" };
};

/** What a message tells, by its name; a code is told only where there is one. */
const details = new Proxy<Record<string, string>>(
  {},
  { get: (_, name) => (name === "code" ? undefined : `‹${String(name)}›`) },
);

test("the page has every error, as it is told", async () => {
  const codes = Object.keys(clientErrors) as ClientErrorCode[];
  const causes = codes.map((code) => {
    const { exitCode, message } = new ClientError(code, details);
    // A bare `<file>` would be read as a tag, and not shown.
    return `| \`${code}\` | ${exitCode} | ${message.replaceAll("<", "\\<")} |\n`;
  });
  const { start, rows } = tableUnder("| code | exit | says |\n|---|---|---|\n");
  await expect(page.slice(0, start) + causes.join("") + page.slice(start + rows.length)).toMatchFileSnapshot(
    file,
  );
});

test("the page has every exit code", () => {
  const { rows } = tableUnder("| exit code | name | means |\n|---|---|---|\n");
  const told = Object.entries(exitCodeMeanings).map(
    ([name, means]) => `| ${exitCodes[name as keyof typeof exitCodes]} | \`${name}\` | ${means} |\n`,
  );
  expect(rows).toBe(told.join(""));
  expect(Object.keys(exitCodeMeanings)).toEqual(Object.keys(exitCodes));
});

/** Returns the part of a help that lists the options. */
const optionsIn = (help: string): string => /^Options:\n([\s\S]*?)\n\n/m.exec(help)?.[1] ?? "";

test.each(["follow", "subscribe", "status", "listen", "replicate"])(
  "the page has every option of %s",
  async (command) => {
    const stdout = optionsIn((await runHere([command, "--help"])).stdout);
    const start = page.indexOf(`| option of ${command} |`);
    const told = new Set(
      page.slice(start, page.indexOf("are those of a pull", start)).match(/--[a-z][a-z-]+/g),
    );
    expect(told).toEqual(new Set(stdout.match(/--[a-z][a-z-]+/g)?.filter((option) => option !== "--help")));
  },
);

test("the page has every option of a pull", async () => {
  const stdout = optionsIn((await runHere(["pull", "--help"])).stdout);
  const { rows } = tableUnder("| option | is | otherwise |\n|---|---|---|\n");
  const told = new Set(rows.match(/--[a-z-]+/g));
  expect(told).toEqual(new Set(stdout.match(/--[a-z][a-z-]+/g)?.filter((option) => option !== "--help")));
});

test("the page has every code that has a consequence of its own in a run that goes on", async () => {
  const heading = "| code in a run that goes on | consequence |\n|---|---|\n";
  const { start, rows } = tableUnder(heading);
  const told = Object.entries(consequenceOfCode).map(
    ([code, consequence]) => `| \`${code}\` | ${consequence} |\n`,
  );
  await expect(page.slice(0, start) + told.join("") + page.slice(start + rows.length)).toMatchFileSnapshot(
    file,
  );
});
