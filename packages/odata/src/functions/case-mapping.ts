import { lowerCaseRuns, upperCaseRuns } from "./case-mapping-table.ts";

/** Code point to code point; what is absent maps to itself. */
export type CaseMapping = ReadonlyMap<number, number>;

/** All case mapping tables as one text. If it changes, indexes of folded text must be built again. */
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

/**
 * What two texts that differ in case only have in common: the lower case of the upper case, so that Σ, σ and
 * ς are one.
 */
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

/** Simple lower case: one code point for each, without regard to its neighbours. */
export const lowerCase = (text: string): string =>
  ascii.test(text) ? text.toLowerCase() : mapText(text, lowerCaseMapping());

/** Simple upper case: `ß` stays `ß`. */
export const upperCase = (text: string): string =>
  ascii.test(text) ? text.toUpperCase() : mapText(text, upperCaseMapping());

/** The form in which texts are compared without regard to case. */
export const foldCase = (text: string): string =>
  ascii.test(text) ? text.toLowerCase() : mapText(text, foldCaseMapping());
