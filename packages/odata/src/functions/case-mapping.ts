import { lowerCaseRuns, upperCaseRuns } from "./case-mapping-table.ts";

/** Maps code points to code points. A code point without an entry maps to itself. */
export type CaseMapping = ReadonlyMap<number, number>;

/** All case mapping tables as one text. If it changes, indexes of folded text must be rebuilt. */
export const caseMappingTables = lowerCaseRuns + upperCaseRuns;

const runPattern = /^([\da-f]+)(?:-([\da-f]+))?(\/2)?([<>])([\da-f]+)$/;

function readRuns(runs: string): CaseMapping {
  const mapping = new Map<number, number>();
  for (const run of runs.trim().split(/\s+/)) {
    const [, first = "", last = first, second, sign, distance = ""] = runPattern.exec(run) ?? [];
    const delta = Number.parseInt(distance, 16) * (sign === "<" ? -1 : 1);
    const step = second === undefined ? 1 : 2;
    const end = Number.parseInt(last, 16);
    for (let code = Number.parseInt(first, 16); code <= end; code += step) mapping.set(code, code + delta);
  }
  return mapping;
}

const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

export const lowerCaseMapping: () => CaseMapping = once(() => readRuns(lowerCaseRuns));
export const upperCaseMapping: () => CaseMapping = once(() => readRuns(upperCaseRuns));

/** Simple case folding: the lower case of the upper case, so that Σ, σ and ς fold to the same letter. */
export const foldCaseMapping: () => CaseMapping = once(() => {
  const [lower, upper] = [lowerCaseMapping(), upperCaseMapping()];
  const folded = new Map<number, number>();
  for (const code of [...lower.keys(), ...upper.keys()]) {
    const raised = upper.get(code) ?? code;
    const target = lower.get(raised) ?? raised;
    if (target !== code) folded.set(code, target);
  }
  return folded;
});

const ascii = /^[\0-\x7f]*$/;

function mapText(text: string, mapping: CaseMapping): string {
  let mapped = "";
  for (const character of text) {
    const target = mapping.get(character.codePointAt(0) ?? 0);
    mapped += target === undefined ? character : String.fromCodePoint(target);
  }
  return mapped;
}

/** Simple lower-case mapping: code point by code point, independent of context. */
export const lowerCase = (text: string): string =>
  ascii.test(text) ? text.toLowerCase() : mapText(text, lowerCaseMapping());

/** Simple upper-case mapping: `ß` stays `ß`. */
export const upperCase = (text: string): string =>
  ascii.test(text) ? text.toUpperCase() : mapText(text, upperCaseMapping());

/** Case-folds a text, for case-insensitive comparisons. */
export const foldCase = (text: string): string =>
  ascii.test(text) ? text.toLowerCase() : mapText(text, foldCaseMapping());
