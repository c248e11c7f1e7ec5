import type { Box } from "../geodesy/box.ts";
import type { ValueOf, ValueType } from "../model/types.ts";
import type { SqlFragment } from "../sql/fragment.ts";

/** Position at which one text lies in another. */
export type TextMatch = "within" | "start" | "end" | "whole";

type Params = readonly ValueType[];
type Fragments<P extends Params> = { readonly [I in keyof P]: SqlFragment };
type Values<P extends Params> = { readonly [I in keyof P]: ValueOf<P[I]> };

/** Definition of one overload of an OData function: everything the project knows about it. */
type Definition<P extends Params, R extends ValueType> = {
  /** Name in lower case. Queries may write it in any letter case. */
  readonly name: string;
  /** Section of the OData standard that defines the function. */
  readonly source: string;
  readonly params: P;
  readonly returns: R;
  /**
   * Compiles a call to SQLite's own SQL, over values in the computed forms of the dialect. Without it, a function
   * registered under that name runs `evaluate`.
   */
  readonly sqlite?: (args: Fragments<P>) => SqlFragment;
  /** Compiles a call to PostgreSQL's SQL. */
  readonly postgres: (args: Fragments<P>) => SqlFragment;
  /**
   * Computes the value for arguments in memory form. Total: returns null if there is no value. Never receives null,
   * because a null argument makes the result null, here as in SQL.
   */
  readonly evaluate: (args: Values<P>) => ValueOf<R> | null;
  /**
   * For a function of a point and another shape: returns boxes that contain every point for which the function is
   * true, or its value is at most `limit`. Empty if there is no such point, null if any point may qualify.
   */
  readonly boxes?: (shape: ValueOf<"Edm.GeographyPoint">, limit: number) => readonly Box[] | null;
  /** For a boolean function of two texts that is true only if the second lies in the first: where. A text index finds such texts. */
  readonly finds?: TextMatch;
  /** True for a function that changes nothing but letter case: `foldCase` of its result is that of its argument. */
  readonly changesCase?: true;
  /** Text of an expression, and the JSON form of its value on every engine. */
  readonly examples: readonly Example[];
};

export type Example = readonly [
  text: string,
  expected: string | number | boolean | null | readonly (string | number | boolean | null)[],
];

/** An untyped definition, so that a table can hold many. */
export type FunctionEntry = Omit<Definition<Params, ValueType>, "sqlite" | "postgres" | "evaluate"> & {
  readonly sqlite?: (args: readonly SqlFragment[]) => SqlFragment;
  readonly postgres: (args: readonly SqlFragment[]) => SqlFragment;
  readonly evaluate: (args: readonly unknown[]) => unknown;
};

export function defineFunction<const P extends Params, R extends ValueType>(
  definition: Definition<P, R>,
): FunctionEntry {
  return definition as unknown as FunctionEntry;
}
