const quote = 34;
const backslash = 92;
/** Character codes of `,`, `[` and `{`: each begins a value or a member. */
const begins = new Set([44, 91, 123]);

/**
 * True if the JSON `text` has more than `most` values and members. Scans the text once without allocating anything. Meant to be called
 * before the text is parsed and checked against a schema, which costs microseconds per value: a megabyte may hold 500,000 values.
 */
export function exceedsValueCount(text: string, most: number): boolean {
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = endOfString(text, at);
    } else if (begins.has(code)) {
      values += 1;
      if (values > most) return true;
    }
  }
  return false;
}

/** Returns the position of the quote that ends the string, or the length of the text if there is none. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === quote) return at;
    at += code === backslash ? 2 : 1;
  }
  return at;
}
