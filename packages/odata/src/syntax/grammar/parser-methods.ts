import type { IParserConfig, IRecognitionException, IToken, TokenType } from "chevrotain";
import type { Chevrotain } from "./chevrotain.ts";

/** A method and its numbered variants, which the library needs to distinguish several uses within one rule. */
type Numbered<N extends string, F> = { readonly [K in N | `${N}2` | `${N}3`]: F };

type Gated = { readonly GATE?: () => boolean };
type Block<T> = (() => T) | (Gated & { readonly DEF: () => T });
type Separated = { readonly SEP: TokenType; readonly DEF: () => unknown };

/**
 * The methods of the library's parser that the grammars use. The library declares them protected, and then no
 * declaration file could be emitted for a class that a function returns.
 */
export type ParserMethods = {
  input: IToken[];
  errors: IRecognitionException[];
  performSelfAnalysis(): void;
  RULE<F extends (...args: never[]) => unknown>(name: string, implementation: F): F;
  ACTION<T>(action: () => T): T;
  LA(howMuch: number): IToken;
} & Numbered<"CONSUME", (token: TokenType) => IToken> &
  Numbered<
    "SUBRULE",
    <A extends unknown[], T>(rule: (...args: A) => T, options?: { readonly ARGS: A }) => T
  > &
  Numbered<"OR", <T>(alternatives: (Gated & { readonly ALT: () => T })[]) => T> &
  Numbered<"OPTION", <T>(block: Block<T>) => T | undefined> &
  Numbered<"MANY" | "AT_LEAST_ONE", (block: Block<unknown>) => void> &
  Numbered<"MANY_SEP" | "AT_LEAST_ONE_SEP", (options: Separated) => void>;

/** The library's parser class, with its methods accessible to the grammars. */
export const parserClass = ({ EmbeddedActionsParser }: Chevrotain) =>
  EmbeddedActionsParser as unknown as new (
    vocabulary: TokenType[],
    config: IParserConfig,
  ) => ParserMethods;
