declare const fragment: unique symbol;

type SqlPart = string | Bound | SqlFragment;
type Bound = { readonly value: unknown; readonly parts?: never };

/**
 * A piece of SQL text with its bound values. The text never contains a value, and a value never becomes text: only
 * the functions of this file create fragments, and none of them creates one from an arbitrary string.
 */
export type SqlFragment = { readonly [fragment]: true; readonly parts: readonly SqlPart[] };

/** SQL text with placeholders, and the values to bind to them in order. */
export type CompiledSql = { readonly text: string; readonly values: readonly unknown[] };

const make = (parts: readonly SqlPart[]): SqlFragment => ({ parts }) as SqlFragment;

export const value = (v: unknown): SqlFragment => make([{ value: v }]);
export const identifier = (name: string): SqlFragment => make([`"${name.replaceAll('"', '""')}"`]);

/** Builds a fragment from a template whose substitutions are all fragments. */
export function sql(strings: TemplateStringsArray, ...holes: readonly SqlFragment[]): SqlFragment {
  const parts: SqlPart[] = [];
  for (let i = 0; i < strings.length; i += 1) {
    const text = strings[i];
    if (text !== undefined && text !== "") parts.push(text);
    const hole = holes[i];
    if (hole !== undefined) parts.push(hole);
  }
  return make(parts);
}

/** The separators that {@link join} accepts. */
export type Separator = ", " | " and " | " and not " | " or " | " || " | " + " | " union all " | " ";

export function join(fragments: readonly SqlFragment[], separator: Separator): SqlFragment {
  const parts: SqlPart[] = [];
  for (const one of fragments) {
    if (parts.length > 0) parts.push(separator);
    parts.push(one);
  }
  return make(parts);
}

/** Flattens a fragment to text and values. `placeholder` receives the 1-based position of the value. */
export function render(whole: SqlFragment, placeholder: (position: number) => string): CompiledSql {
  const values: unknown[] = [];
  let text = "";
  const write = ({ parts }: SqlFragment): void => {
    for (const part of parts) {
      if (typeof part === "string") text += part;
      else if (part.parts !== undefined) write(part);
      else {
        values.push(part.value);
        text += placeholder(values.length);
      }
    }
  };
  write(whole);
  return { text, values };
}
