import { parseArgs } from "node:util";

/** Parses options `--name value` of the command line, with defaults. */
export function settingsOf<Name extends string>(
  defaults: Readonly<Record<Name, string>>,
): Record<Name, string> {
  const names = Object.keys(defaults) as Name[];
  const { values } = parseArgs({
    options: Object.fromEntries(names.map((name) => [name, { type: "string" as const }])),
  });
  return { ...defaults, ...(values as Partial<Record<Name, string>>) };
}
