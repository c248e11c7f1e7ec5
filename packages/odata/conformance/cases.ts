import { readFileSync } from "node:fs";
import type { Names } from "./names.ts";

/** One case of the OASIS test suites. */
export type Case = {
  readonly name: string;
  readonly rule: string;
  readonly input: string;
  /** Offset of the fault, or null where the input is to be accepted. */
  readonly failAt: number | null;
};

/** The scalar of a line's value: plain, or in single or double quotes. */
function scalar(written: string): string {
  if (written.startsWith("'")) return written.slice(1, -1).replaceAll("''", "'");
  if (written.startsWith('"')) {
    return JSON.parse(written.replace(/\\$/, "").replace(/"?$/, '"')) as string;
  }
  return written.replace(/\s+#.*$/, "");
}

/** A folded block: lines joined by spaces, for the two-space-deeper lines after a `>-`, `|` or an open scalar. */
function continued(lines: readonly string[], from: number, indent: number): readonly string[] {
  const rest: string[] = [];
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at] as string;
    if (line.trim() === "" || line.search(/\S/) <= indent) break;
    rest.push(line.trim());
  }
  return rest;
}

/**
 * The test cases of a file in the suites' layout: a list under `TestCases:` of items with `Name`, `Rule`,
 * `FailAt` and `Input`. Only that much of YAML is read.
 */
export function readCases(file: string): readonly Case[] {
  const lines = readFileSync(file, "utf8").split(/\r?\n/);
  const cases: Case[] = [];
  let current: Record<string, string> = {};
  const finish = () => {
    const { Name: name = "", Rule: rule, Input: input, FailAt } = current;
    if (rule !== undefined && input !== undefined) {
      cases.push({ name, rule, input, failAt: FailAt === undefined ? null : Number(FailAt) });
    }
    current = {};
  };
  const begin = lines.findIndex((line) => line.startsWith("TestCases:"));
  for (let at = begin + 1; at < lines.length; at += 1) {
    const found = /^(\s*)(- )?(\w+):(?: (.*))?$/.exec(lines[at] as string);
    if (found === null) continue;
    const [, space = "", dash, key = "", value = ""] = found;
    if (dash !== undefined) finish();
    const more = continued(lines, at + 1, space.length + (dash?.length ?? 0));
    const block = /^[>|]-?$/.test(value.trim());
    if (block && value.startsWith("|")) current[key] = more.join("\n");
    else if (block) current[key] = more.join(" ");
    else
      current[key] = scalar(
        [value.trim(), ...more]
          .filter((part) => part !== "")
          .join(" ")
          .replaceAll("\\ ", ""),
      );
    at += more.length;
  }
  finish();
  return cases;
}

/**
 * The names under `Constraints:` of a file in the suites' layout: for a rule of the grammar all the names
 * that it may stand for.
 */
export function readNames(file: string): Names {
  const names = new Map<string, Set<string>>();
  const lines = readFileSync(file, "utf8").split(/\r?\n/);
  let current = new Set<string>();
  const begin = lines.findIndex((line) => line.startsWith("Constraints:"));
  for (const line of lines.slice(begin + 1)) {
    if (/^\S/.test(line)) break;
    const rule = /^ {2}(\w+):/.exec(line)?.[1];
    const item = /^ +- (.*)$/.exec(line)?.[1];
    if (rule !== undefined) {
      current = new Set();
      names.set(rule, current);
    } else if (item !== undefined) current.add(scalar(item.trim()));
  }
  return names;
}
