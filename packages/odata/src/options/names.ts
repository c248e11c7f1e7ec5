/**
 * System query options. `bare` is true if the option may be written without its dollar sign; the options of the
 * temporal extension may not.
 *
 * Source: OData 4.01 ABNF, `systemQueryOption`; Data Aggregation 4.0; Temporal Data 4.0.
 */
const options = [
  { name: "$apply", bare: true },
  { name: "$at", bare: false },
  { name: "$compute", bare: true },
  { name: "$count", bare: true },
  { name: "$deltatoken", bare: true },
  { name: "$expand", bare: true },
  { name: "$filter", bare: true },
  { name: "$format", bare: true },
  { name: "$from", bare: false },
  { name: "$id", bare: true },
  { name: "$index", bare: true },
  { name: "$levels", bare: true },
  { name: "$orderby", bare: true },
  { name: "$schemaversion", bare: true },
  { name: "$search", bare: true },
  { name: "$select", bare: true },
  { name: "$skip", bare: true },
  { name: "$skiptoken", bare: true },
  { name: "$to", bare: false },
  { name: "$toInclusive", bare: false },
  { name: "$top", bare: true },
] as const;

export type SystemOptionName = (typeof options)[number]["name"];

const byWriting: ReadonlyMap<string, SystemOptionName> = new Map(
  options.flatMap(({ name, bare }): [string, SystemOptionName][] => {
    const lower = name.toLowerCase();
    const dollar: [string, SystemOptionName] = [lower, name];
    return bare ? [dollar, [lower.slice(1), name]] : [dollar];
  }),
);

/**
 * Returns the system query option that `written` names, in any letter case, with or without its dollar sign.
 */
export const systemOption = (written: string): SystemOptionName | undefined =>
  byWriting.get(written.toLowerCase());

export const systemOptionNames: readonly SystemOptionName[] = options.map(({ name }) => name);
