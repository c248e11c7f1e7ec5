import type { ArithmeticOperator, Comparator } from "./tree.ts";

/** A binary operator: the kind of node it creates, and its precedence `binds` (higher binds tighter). */
export type Operator =
  | {
      readonly word: string;
      readonly builds: "Logical";
      readonly operator: "or" | "and";
      readonly binds: number;
    }
  | {
      readonly word: string;
      readonly builds: "Compare";
      readonly operator: Comparator;
      readonly binds: number;
    }
  | {
      readonly word: string;
      readonly builds: "Arithmetic";
      readonly operator: ArithmeticOperator;
      readonly binds: number;
    }
  | { readonly word: string; readonly builds: "Has" | "In"; readonly operator: null; readonly binds: number };

/** Precedence of `not` and unary minus: only `has` and `in` bind tighter. */
export const unaryBinds = 7;

/**
 * Binary operators, by ascending precedence.
 *
 * Source: OData 4.01 URL Conventions, 5.1.1.17 (operator precedence).
 */
const operators: readonly Operator[] = [
  { word: "or", builds: "Logical", operator: "or", binds: 1 },
  { word: "and", builds: "Logical", operator: "and", binds: 2 },
  { word: "eq", builds: "Compare", operator: "eq", binds: 3 },
  { word: "ne", builds: "Compare", operator: "ne", binds: 3 },
  { word: "gt", builds: "Compare", operator: "gt", binds: 4 },
  { word: "ge", builds: "Compare", operator: "ge", binds: 4 },
  { word: "lt", builds: "Compare", operator: "lt", binds: 4 },
  { word: "le", builds: "Compare", operator: "le", binds: 4 },
  { word: "add", builds: "Arithmetic", operator: "add", binds: 5 },
  { word: "sub", builds: "Arithmetic", operator: "sub", binds: 5 },
  { word: "mul", builds: "Arithmetic", operator: "mul", binds: 6 },
  { word: "div", builds: "Arithmetic", operator: "div", binds: 6 },
  { word: "divby", builds: "Arithmetic", operator: "divby", binds: 6 },
  { word: "mod", builds: "Arithmetic", operator: "mod", binds: 6 },
  { word: "has", builds: "Has", operator: null, binds: 8 },
  { word: "in", builds: "In", operator: null, binds: 8 },
];

/** Combines two lower-case code units into one number. */
const pair = (first: number, second: number): number => (first << 7) | second;

/**
 * Lookup table of the operators, by the first two letters and the length of their word, which together are unique.
 */
const byLetters: (readonly (Operator | undefined)[] | undefined)[] = Array.from({ length: 1 << 14 });
for (const operator of operators) {
  const key = pair(operator.word.charCodeAt(0), operator.word.charCodeAt(1));
  const row = [...(byLetters[key] ?? Array.from({ length: 6 }, () => undefined))];
  row[operator.word.length] = operator;
  byLetters[key] = row;
}

/** Returns the operator that `text` contains between `start` and `end`, in any letter case. */
export function operatorAt(text: string, start: number, end: number): Operator | undefined {
  const length = end - start;
  if (length < 2 || length > 5) return undefined;
  const key = pair(text.charCodeAt(start) | 32, text.charCodeAt(start + 1) | 32);
  const found = byLetters[key]?.[length];
  if (found === undefined || length === 2) return found;
  for (let i = 2; i < length; i += 1) {
    if ((text.charCodeAt(start + i) | 32) !== found.word.charCodeAt(i)) return undefined;
  }
  return found;
}
