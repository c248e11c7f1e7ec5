import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type YAMLMap,
} from "yaml";
import { fileReason } from "../file-error.ts";
import { yamlFault } from "../yaml-fault.ts";
import {
  type FileMember,
  fileMembers,
  fileSections,
  memberNamesOf,
  type SettingName,
} from "./member-paths.ts";
import type { Setting } from "./setting.ts";
import { settings } from "./settings.ts";
import { unknownMember } from "./unknown-names.ts";

/** A value of the settings file: its text, and the name that messages use, such as `cadastre.yaml:3:7: port`. */
type FileValue = { readonly text: string; readonly source: string };

/** The content of a settings file. */
export type SettingsFile = {
  readonly values: ReadonlyMap<SettingName, FileValue>;
  /** One line for each fault, beginning with file, line and column. */
  readonly faults: readonly string[];
  /** Variables that the file refers to by `${NAME}`. */
  readonly references: ReadonlySet<string>;
  /** True if nothing of the file could be read. */
  readonly isBroken: boolean;
};

/** The settings of a service without a settings file. */
export const noSettingsFile: SettingsFile = {
  values: new Map(),
  faults: [],
  references: new Set(),
  isBroken: false,
};

type Environment = Readonly<Record<string, string | undefined>>;

const broken = (faults: readonly string[]): SettingsFile => ({ ...noSettingsFile, faults, isBroken: true });

/** Reads a settings file: YAML, and JSON, which is YAML too. */
export function readSettingsFile(file: string, environment: Environment): SettingsFile {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const reason = fileReason(error as NodeJS.ErrnoException);
    return broken([
      `--config or CADASTRE_CONFIG must name a settings file that can be read: ${file} cannot: ${reason}`,
    ]);
  }
  return parseSettings(file, text, environment);
}

/**
 * Parses the text of a settings file.
 *
 * @param file its path, which messages name and relative paths start from
 */
export function parseSettings(file: string, text: string, environment: Environment): SettingsFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}:`;
  };
  const syntax = [...document.errors, ...document.warnings];
  if (syntax.length > 0)
    return broken(syntax.map((fault) => `${at(fault.pos[0])} ${yamlFault(document, fault)}`));
  const { contents } = document;
  if (contents === null || (isScalar(contents) && contents.value === null)) return noSettingsFile;
  if (!isMap(contents))
    return broken([`${at(contents.range?.[0] ?? 0)} must have members, such as \`port: 8080\``]);
  const reader: Reader = {
    file,
    document,
    environment,
    place: (node) => at(node.range?.[0] ?? 0),
    values: new Map(),
    faults: [],
    references: new Set(),
  };
  readSection(reader, contents, "");
  return { ...reader, isBroken: false };
}

type Reader = {
  readonly file: string;
  readonly document: Document;
  readonly environment: Environment;
  readonly place: (node: Node) => string;
  readonly values: Map<SettingName, FileValue>;
  readonly faults: string[];
  readonly references: Set<string>;
};

function readSection(reader: Reader, section: YAMLMap, name: string): void {
  const { document, place, faults } = reader;
  for (const pair of section.items) {
    const key = pair.key as Node;
    const value = resolved(pair.value as Node | null, document);
    const written = isScalar(key) ? String(key.value) : String(key);
    const path = name === "" ? written : `${name}.${written}`;
    const member = fileMembers.get(path) ?? (name === "" ? variableMember(written) : undefined);
    if (member !== undefined) readMember(reader, member, path, key, value);
    else if (!fileSections.has(path)) faults.push(`${place(key)} ${unknownMember(name, written)}`);
    else if (isMap(value)) readSection(reader, value, path);
    else if (value !== null && !isNull(value))
      faults.push(
        `${place(value)} \`${path}\` is a section: indent its members below it. Allowed in it are ${memberNamesOf(path).join(", ")}`,
      );
  }
}

/** Returns the setting of a member that has the name of its variable, as in the settings files of earlier versions. */
const variableMember = (name: string): FileMember | undefined =>
  Object.hasOwn(settings, name)
    ? { name: name as SettingName, setting: settings[name as SettingName], isReference: false }
    : undefined;

const isNull = (node: Node): boolean => isScalar(node) && node.value === null;

const resolved = (node: Node | null, document: Document): Node | null =>
  isAlias(node) ? (node.resolve(document) ?? null) : node;

function readMember(reader: Reader, member: FileMember, path: string, key: Node, value: Node | null): void {
  const { values, faults, place } = reader;
  if (value === null || isNull(value)) return;
  const { name, setting } = member;
  const source = `${place(value)} ${path}`;
  const known = values.get(name);
  if (known !== undefined) {
    faults.push(`${place(key)} ${path} is set twice: remove it, or \`${known.source}\``);
    return;
  }
  const raw = textOf(value, setting);
  if (raw === undefined) {
    faults.push(`${source} must be ${setting.must}, not ${isMap(value) ? "a section" : "a list"}`);
    return;
  }
  // A member that has the name of a variable is read as the variable would be.
  const text = path === name ? raw : interpolated(reader, source, raw);
  if (text === undefined || text === "") return;
  const { file } = reader;
  if (member.isReference) readReference(reader, name, source, resolve(dirname(file), text));
  else values.set(name, { source, text: setting.isPath && path !== name ? fromFolder(file, text) : text });
}

/** Returns the text of a value as it is written: `4.0` stays `4.0`. A list gives its items with commas between. */
function textOf(value: Node, { isList }: Setting): string | undefined {
  if (isScalar(value))
    return typeof value.value === "string" ? value.value : (value.source ?? String(value.value));
  if (!isSeq(value) || !isList) return undefined;
  const items = value.items.map((item) => (isScalar(item) ? textOf(item, {} as Setting) : undefined));
  return items.every((item) => item !== undefined) ? items.join(",") : undefined;
}

/** Replaces `${NAME}` by the variable of that name; `$${` stands for `${`. Returns undefined after a fault. */
function interpolated(
  { environment, references, faults }: Reader,
  source: string,
  raw: string,
): string | undefined {
  const missing: string[] = [];
  const text = raw.replaceAll(/\$(\$?)\{([^}]*)\}/g, (_, escaped: string, name: string) => {
    if (escaped !== "") return `\${${name}}`;
    references.add(name);
    const value = environment[name];
    if (value === undefined) missing.push(name);
    return value ?? "";
  });
  for (const name of missing)
    faults.push(
      `${source} refers to the variable \`${name}\`, which is not set: set it, or write \`$\${\` for a text`,
    );
  return missing.length === 0 ? text : undefined;
}

function readReference({ values, faults }: Reader, name: SettingName, source: string, file: string): void {
  try {
    values.set(name, { source, text: readFileSync(file, "utf8").trim() });
  } catch (error) {
    const reason = fileReason(error as NodeJS.ErrnoException);
    faults.push(`${source} must name a file that can be read: ${file} cannot: ${reason}`);
  }
}

/** Resolves a path from the folder of the settings file. An address or a JSON text stays as it is. */
const fromFolder = (file: string, text: string): string =>
  /^(?:https?:|\s*\{)/.test(text) ? text : resolve(dirname(file), text);
