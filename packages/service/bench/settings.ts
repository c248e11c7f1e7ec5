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

/** Returns those of all that a text such as `key;walk` names, in its order. */
export const chosenOf = <Named extends { readonly name: string }>(
  text: string,
  all: readonly Named[],
): readonly Named[] =>
  text.split(";").map((name) => {
    const found = all.find((one) => one.name === name);
    if (found === undefined) throw new Error(`${name} is none of ${all.map((one) => one.name).join(";")}`);
    return found;
  });
