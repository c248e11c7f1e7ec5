import type { PublicCode } from "../errors.ts";

/** A JSON Schema. Source: OpenAPI 3.1.1, section 4.8.24. */
export type Schema = Readonly<Record<string, unknown>>;

/** An operation of the OpenAPI document. */
export type Operation = {
  readonly method: "get" | "post" | "delete";
  /** Path template with `{name}` for each parameter. */
  readonly path: string;
  readonly tag: "OData" | "JSON" | "Delivery" | "Service";
  readonly summary: string;
  /** True if it needs no API key. */
  readonly isOpen?: true;
  readonly parameters?: readonly Parameter[];
  /** Schema of the body by media type. */
  readonly takes?: Readonly<Record<string, Schema>>;
  /** True if the body may be left out. */
  readonly isTakenOptional?: boolean | undefined;
  /** Status code of the answer. By default 200. */
  readonly status?: 200 | 201 | 202;
  /** Schema of the answer by media type. */
  readonly gives: Readonly<Record<string, Schema>>;
  /** Codes of its own errors, besides those of every address. */
  readonly errors?: readonly PublicCode[];
};

export type Parameter = {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: true;
  readonly description: string;
  readonly schema: Schema;
  readonly example?: string | number | boolean;
};

export const textSchema: Schema = { type: "string" };

/** Returns the operation of an address that is read without a key, by the media types of its answer. */
export const openRead = (path: string, summary: string, ...types: readonly string[]): Operation => ({
  method: "get",
  path,
  tag: "Service",
  summary,
  isOpen: true,
  gives: Object.fromEntries(types.map((type) => [type, textSchema])),
});
