/** A JSON Schema. Source: OpenAPI 3.1.1, section 4.8.24. */
export type Schema = Readonly<Record<string, unknown>>;

/** Something that a client may ask of an address, as far as a client must know. */
export type Operation = {
  readonly method: "get" | "post" | "delete";
  /** With `{name}` for each part that the client fills in. */
  readonly path: string;
  readonly tag: "OData" | "JSON" | "Delivery" | "Service";
  readonly summary: string;
  /** Whether it is answered without a key. */
  readonly isOpen?: true;
  readonly parameters?: readonly Parameter[];
  /** Schema of the body by media type. */
  readonly takes?: Readonly<Record<string, Schema>>;
  /** Of the answer; 200 where it is not said. */
  readonly status?: 200 | 201 | 202;
  /** Schema of the answer by media type. */
  readonly gives: Readonly<Record<string, Schema>>;
};

export type Parameter = {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: true;
  readonly description: string;
  readonly schema: Schema;
  readonly example?: string | number | boolean;
};

export const text: Schema = { type: "string" };
