import { stringify } from "yaml";
import { fileSections } from "./member-paths.ts";
import type { Setting } from "./setting.ts";
import { settings } from "./settings.ts";

const width = 100;

/** Returns the text of a settings file that has every setting: those of `values` by their paths, all others as comments. */
export function settingsTemplate(values: ReadonlyMap<string, string>): string {
  const all = Object.entries<Setting>(settings);
  const inSection = (section: string) =>
    all.filter(([, { path }]) => (section === "" ? !path.includes(".") : path.startsWith(`${section}.`)));
  const block = (section: string, indent: string) =>
    inSection(section).map(([name, setting]) => member(name, setting, values, indent));
  return [
    heading,
    ...block("", ""),
    ...[...fileSections].map((section) => [`${section}:`, ...block(section, "  ")].join("\n\n")),
    "",
  ].join("\n\n");
}

const heading = `# Settings of Cadastre. A variable of the environment overrides a member of this file.
# \`cadastre doctor\` checks them. Paths start from the folder of this file; \${NAME} stands for a variable.`;

function member(name: string, setting: Setting, values: ReadonlyMap<string, string>, indent: string): string {
  const { path, means, must, hasFileMember } = setting;
  const key = path.split(".").at(-1) ?? path;
  const otherwise = "default" in setting ? setting.default : setting.absent;
  const comment = [
    `${withoutLinks(means)}.`,
    `Must be ${must}. Default: ${otherwise}. Variable: ${name}.`,
    ...(hasFileMember ? [`In its place, ${key}_file may name a file with the value.`] : []),
  ];
  const lines = comment.flatMap((text) => wrapped(text, width - indent.length - 2));
  const file = values.get(`${path}_file`);
  const value = values.get(path);
  const written =
    file !== undefined
      ? `${key}_file: ${scalar(file)}`
      : value !== undefined
        ? `${key}: ${scalar(value)}`
        : `# ${key}:${"default" in setting ? ` ${scalar(setting.default)}` : ""}`;
  return [...lines.map((line) => `# ${line}`), written].map((line) => indent + line).join("\n");
}

/** Replaces `see [Links](#links)` by `see Links`. */
const withoutLinks = (text: string): string => text.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1");

/** Writes a value as YAML. Words, numbers, paths and addresses need no quotes. */
const scalar = (value: string): string =>
  /^[A-Za-z0-9./][\w./:@+-]*$/.test(value) ? value : stringify(value, { lineWidth: 0 }).trimEnd();

function wrapped(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > columns) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
