import type { SystemOptionName } from "@cadastre/odata";

/** The system option of each extension of the interface; null for one that is no option. */
const optionsByExtension = {
  delta: "$deltatoken",
  expand: "$expand",
  search: "$search",
  compute: "$compute",
  apply: "$apply",
  field: null,
  event: null,
} as const satisfies Record<string, SystemOptionName | null>;

/** An extension of the interface that a service may offer. */
export type Extension = keyof typeof optionsByExtension;

export const extensionNames = Object.keys(optionsByExtension) as readonly Extension[];

/** Returns the system options that are refused where only some extensions are offered. */
export const switchedOffBut = (extensions: readonly Extension[]): ReadonlySet<SystemOptionName> =>
  new Set(
    extensionNames
      .filter((name) => !extensions.includes(name))
      .map((name) => optionsByExtension[name])
      .filter((option) => option !== null),
  );

/** Reads names with commas between them; `none` stands for no extension. Undefined if one is unknown. */
export function readExtensions(text: string): readonly Extension[] | undefined {
  if (text.trim() === "none") return [];
  const names = text.split(",").map((name) => name.trim());
  return names.every((name): name is Extension => extensionNames.includes(name as Extension))
    ? names
    : undefined;
}
