import { datasetProperty } from "@cadastre/entitlement";
import { endOfString, endOfValue } from "@cadastre/odata/run";

const quote = 0x22;
const comma = 0x2c;

/** Difference between two versions of a record. */
export type Difference = {
  /** Null for a record that all datasets share; undefined if it belongs to another one now. */
  readonly dataset: string | null | undefined;
  /** Names of the fields that have another value. */
  readonly fields: readonly string[];
};

const datasetMember = `"${datasetProperty.name}":`;

/** Compares two versions of a record, whose dataset is the last member. */
export function recordDifference(was: Buffer, is: Buffer): Difference {
  const fields = changedMembers(was, is);
  if (fields.includes(datasetProperty.name)) return { dataset: undefined, fields };
  const start = is.lastIndexOf(datasetMember);
  if (start < 0) return { dataset: null, fields };
  const value = is.toString("utf8", start + datasetMember.length, is.length - 1);
  return { dataset: JSON.parse(value) as string, fields };
}

/** The members of an object from a position on: names to JSON texts. */
type Members = ReadonlyMap<string, string>;

/**
 * Returns the names of the members in which two objects differ, or that one of them lacks. Both are JSON text without white space, and
 * have their members in the same order.
 */
export function changedMembers(was: Buffer, is: Buffer): readonly string[] {
  const changed: string[] = [];
  let [i, j] = [1, 1];
  while (was[i] === quote && is[j] === quote) {
    const [nameOfOld, nameOfNew] = [endOfString(was, i), endOfString(is, j)];
    if (!areEqual(was, i, nameOfOld, is, j, nameOfNew)) break;
    const [endOfOld, endOfNew] = [endOfValue(was, nameOfOld + 1), endOfValue(is, nameOfNew + 1)];
    if (!areEqual(was, nameOfOld, endOfOld, is, nameOfNew, endOfNew))
      changed.push(textOf(was, i + 1, nameOfOld - 1));
    i = endOfOld + Number(was[endOfOld] === comma);
    j = endOfNew + Number(is[endOfNew] === comma);
  }
  // From here on one of them has members that the other one lacks.
  const [before, after] = [membersFrom(was, i), membersFrom(is, j)];
  for (const name of new Set([...before.keys(), ...after.keys()]))
    if (before.get(name) !== after.get(name)) changed.push(name);
  return changed;
}

function areEqual(
  was: Buffer,
  start: number,
  end: number,
  is: Buffer,
  startOfNew: number,
  endOfNew: number,
): boolean {
  if (end - start !== endOfNew - startOfNew) return false;
  for (let i = start, j = startOfNew; i < end; i++, j++) if (was[i] !== is[j]) return false;
  return true;
}

function membersFrom(object: Buffer, start: number): Members {
  const members = new Map<string, string>();
  for (let at = start; object[at] === quote; ) {
    const name = endOfString(object, at);
    const end = endOfValue(object, name + 1);
    members.set(textOf(object, at + 1, name - 1), textOf(object, name + 1, end));
    at = end + Number(object[end] === comma);
  }
  return members;
}

const textOf = (bytes: Buffer, start: number, end: number): string => bytes.toString("utf8", start, end);
