/** Text between quotes, in which `''` is one quote. */
const quoted = /'(?:[^']|'')*'?/y;

/** Splits text at a word between blanks, outside of quotes and parentheses. */
function splitAt(text: string, word: "and" | "or"): readonly string[] {
  const separator = new RegExp(`\\s+${word}\\s+`, "iy");
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; ) {
    quoted.lastIndex = at;
    const quotation = text[at] === "'" ? quoted.exec(text)?.[0] : undefined;
    if (quotation !== undefined) {
      at += quotation.length;
      continue;
    }
    if (text[at] === "(") depth += 1;
    if (text[at] === ")") depth -= 1;
    separator.lastIndex = at;
    const found = depth === 0 ? separator.exec(text)?.[0] : undefined;
    if (found === undefined) at += 1;
    else {
      parts.push(text.slice(start, at));
      at += found.length;
      start = at;
    }
  }
  parts.push(text.slice(start));
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

/** Returns the terms that `and` joins at the top of a filter: `a eq 1 and (b or c)` has two. One with `or` at its top is a single term. */
export function termsOf(filter: string): readonly string[] {
  if (splitAt(filter, "or").length > 1) return [filter.trim()];
  return splitAt(filter, "and");
}

/** Joins terms to a filter. A term with `or` at its top gets parentheses if it is not alone. */
export function filterOf(terms: readonly string[]): string {
  if (terms.length < 2) return terms[0] ?? "";
  return terms.map((term) => (splitAt(term, "or").length > 1 ? `(${term})` : term)).join(" and ");
}

const equality = /^(\S+) eq /;

/** Adds a term. An equality replaces one of the same property; a term that is there already stays as it is. */
export function withTerm(filter: string, term: string): string {
  const property = equality.exec(term)?.[1];
  const isReplaced = (old: string) => property !== undefined && equality.exec(old)?.[1] === property;
  const kept = termsOf(filter).filter((old) => old !== term && !isReplaced(old));
  return filterOf([...kept, term]);
}

export const withoutTerm = (filter: string, term: string): string =>
  filterOf(termsOf(filter).filter((one) => one !== term));
