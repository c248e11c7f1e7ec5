declare const fragment: unique symbol;

type SqlPart = string | { readonly value: unknown } | { readonly identifier: string } | SqlFragment;

/**
 * A piece of SQL text with its bound values. Text never holds a value; a value never becomes text.
 * Only the functions of this file make one, and none of them makes one from a string.
 */
export type SqlFragment = { readonly [fragment]: true; readonly parts: readonly SqlPart[] };

/** SQL text with placeholders, and the values to bind to them in order. */
export type CompiledSql = { readonly text: string; readonly values: readonly unknown[] };

const make = (parts: readonly SqlPart[]): SqlFragment => ({ parts }) as SqlFragment;

export const value = (v: unknown): SqlFragment => make([{ value: v }]);
export const identifier = (name: string): SqlFragment => make([{ identifier: name }]);

/** Build a fragment from a template whose holes are all fragments. */
export function sql(strings: TemplateStringsArray, ...holes: readonly SqlFragment[]): SqlFragment {
  const parts: SqlPart[] = [];
  for (const [i, text] of strings.entries()) {
    if (text !== "") parts.push(text);
    const hole = holes[i];
    if (hole !== undefined) parts.push(hole);
  }
  return make(parts);
}

/** What {@link join} may put between fragments. */
export type Separator = ", " | " and " | " or " | " || " | " " | " union all ";

export const join = (fragments: readonly SqlFragment[], separator: Separator): SqlFragment =>
  make(fragments.flatMap((one, i) => (i === 0 ? [one] : [separator, one])));

/** Flatten to text and values. `placeholder` gets the 1-based position of the value. */
export function render(whole: SqlFragment, placeholder: (position: number) => string): CompiledSql {
  const values: unknown[] = [];
  let text = "";
  const write = ({ parts }: SqlFragment): void => {
    for (const part of parts) {
      if (typeof part === "string") text += part;
      else if ("parts" in part) write(part);
      else if ("identifier" in part) text += `"${part.identifier.replaceAll('"', '""')}"`;
      else {
        values.push(part.value);
        text += placeholder(values.length);
      }
    }
  };
  write(whole);
  return { text, values };
}
