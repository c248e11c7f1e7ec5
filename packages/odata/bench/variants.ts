import { enumTypes } from "./listings.ts";

const literal =
  /(?<prefix>[\w.]*)'(?<quoted>(?:[^']|'')*)'|(?<date>\d{4}-\d\d)-\d\d(?<time>T[\d:.]+Z)?|(?<![\w.-])(?<number>-?\d+(?:\.\d+)?)/g;

const membersOf: ReadonlyMap<string, readonly string[]> = new Map(
  Object.values(enumTypes).map(({ name, members }) => [name, members]),
);

const twoDigits = (value: number): string => String(value).padStart(2, "0");

/** `text` with another value in the place of every literal, of the same type; another one for every `index`. */
function variant(text: string, index: number): string {
  return text.replaceAll(literal, (...args) => {
    const groups = args.at(-1) as Readonly<Record<string, string | undefined>>;
    const { prefix, quoted, date, time, number } = groups;
    if (date !== undefined) return `${date}-${twoDigits(1 + (index % 28))}${time ?? ""}`;
    if (number !== undefined)
      return number.includes(".") ? `${number}${index}` : String(Number(number) + index);
    const members = membersOf.get(prefix ?? "");
    if (members !== undefined) return `${prefix}'${members[index % members.length]}'`;
    if (prefix === "duration") return `${prefix}'P${1 + index}D'`;
    // The same digits after every coordinate, so that a ring still ends as it began.
    if (prefix === "geography")
      return `${prefix}'${quoted?.replaceAll(/\.\d+/g, (digits) => digits + index)}'`;
    return `${prefix}'${quoted}${index}'`;
  });
}

/** So many variants of every filter that no cache of whole texts would be of use to a server. */
const count = 64;

/** Texts of one shape that differ in every literal. */
export const variantsOf = (text: string): readonly string[] =>
  Array.from({ length: count }, (_, index) => variant(text, index));
