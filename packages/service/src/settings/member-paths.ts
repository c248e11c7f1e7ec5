import type { Setting } from "./setting.ts";
import { settings } from "./settings.ts";

/** Name of a setting in the environment. */
export type SettingName = keyof typeof settings;

/** A member that the settings file may have. */
export type FileMember = {
  readonly name: SettingName;
  readonly setting: Setting;
  /** True of `<path>_file`, which names a file with the value. */
  readonly isReference: boolean;
};

const entries = Object.entries<Setting>(settings) as readonly (readonly [SettingName, Setting])[];

/** Every member of the settings file, by its path. */
export const fileMembers: ReadonlyMap<string, FileMember> = new Map(
  entries.flatMap(([name, setting]): [string, FileMember][] => {
    const own: [string, FileMember] = [setting.path, { name, setting, isReference: false }];
    if (!setting.hasFileMember) return [own];
    return [own, [`${setting.path}_file`, { name, setting, isReference: true }]];
  }),
);

const sectionOf = (path: string): string => path.split(".").slice(0, -1).join(".");

/** The sections of the settings file, such as `database`. */
export const fileSections: ReadonlySet<string> = new Set(
  [...fileMembers.keys()].map(sectionOf).filter((section) => section !== ""),
);

/** Returns the names that a section may have; without a section, those of the whole file. */
export function memberNamesOf(section: string): readonly string[] {
  const inside = [...fileMembers.keys()].filter((path) => sectionOf(path) === section);
  const names = inside.map((path) => path.split(".").at(-1) ?? path);
  return section === "" ? [...names, ...fileSections] : names;
}
