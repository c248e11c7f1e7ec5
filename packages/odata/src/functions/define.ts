import type { Box } from "../geodesy/box.ts";
import type { ValueOf, ValueType } from "../model/types.ts";
import type { SqlFragment } from "../sql/fragment.ts";

type Params = readonly ValueType[];
type Fragments<P extends Params> = { readonly [I in keyof P]: SqlFragment };
type Values<P extends Params> = { readonly [I in keyof P]: ValueOf<P[I]> };

/** One overload of one OData function: everything the project knows about it. */
type Definition<P extends Params, R extends ValueType> = {
  /** In lower case; a query may write it in any letter case. */
  readonly name: string;
  /** Section of the OData standard that defines it. */
  readonly source: string;
  readonly params: P;
  readonly returns: R;
  /**
   * The function in SQLite's own SQL, over values in the form of the dialect's encodings. A function without
   * one is called by name there: the engine registers `evaluate` itself.
   */
  readonly sqlite?: (args: Fragments<P>) => SqlFragment;
  /** The function in PostgreSQL's SQL. */
  readonly postgres: (args: Fragments<P>) => SqlFragment;
  /**
   * The value for arguments in memory form. Total: what has no value is null. Never sees null: a null
   * argument makes the result null, here and in SQL alike.
   */
  readonly evaluate: (args: Values<P>) => ValueOf<R> | null;
  /**
   * Of a function of a point and another shape: boxes that hold every point for which it is true, or at most
   * `limit`. None where no point can be, null where any may.
   */
  readonly boxes?: (shape: ValueOf<"Edm.GeographyPoint">, limit: number) => readonly Box[] | null;
  /** Expression text, and the JSON form of the value that it has on every engine. */
  readonly examples: readonly Example[];
};

export type Example = readonly [
  text: string,
  expected: string | number | boolean | null | readonly (string | number | boolean | null)[],
];

/** A definition with its parameter types forgotten, so that a table can hold many. */
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
