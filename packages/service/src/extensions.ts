import type { SystemOptionName } from "@cadastre/odata";

/** System options that the interface does not have, by the name of the extension that offers them. */
const optionsByExtension = { expand: "$expand" } as const satisfies Record<string, SystemOptionName>;

/** An extension of the interface that a service may offer. */
export type Extension = keyof typeof optionsByExtension;

export const extensionNames = Object.keys(optionsByExtension) as readonly Extension[];

const notOffered: readonly SystemOptionName[] = ["$apply", "$compute", "$search"];

/** Returns the system options that are refused where only some extensions are offered. */
export const switchedOffBut = (extensions: readonly Extension[]): ReadonlySet<SystemOptionName> =>
  new Set([
    ...notOffered,
    ...extensionNames.filter((name) => !extensions.includes(name)).map((name) => optionsByExtension[name]),
  ]);

/** Reads names with commas between them; `none` stands for no extension. Undefined if one is unknown. */
export function readExtensions(text: string): readonly Extension[] | undefined {
  if (text.trim() === "none") return [];
  const names = text.split(",").map((name) => name.trim());
  return names.every((name): name is Extension => extensionNames.includes(name as Extension))
    ? names
    : undefined;
}
