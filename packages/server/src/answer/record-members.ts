/** Name of a member of a record, and the JSON text of its value. */
type RecordMember = { readonly name: string; readonly value: string };

/** JSON text of a record, and its members. */
export type RecordText = { readonly text: string; readonly members: readonly RecordMember[] };

const string = /"[^"\\]*(?:\\.[^"\\]*)*"/y;
const atom = /[^,\]}]+/y;
/** Matches text without strings and brackets. */
const filler = /[^"[\]{}]*/y;

/** Returns the index after the match of `pattern` at `at`. */
function after(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  pattern.test(text);
  return pattern.lastIndex;
}

/** Returns the index after the value that starts at `at`. */
function endOfValue(text: string, at: number): number {
  if (text[at] === '"') return after(string, text, at);
  if (text[at] !== "{" && text[at] !== "[") return after(atom, text, at);
  let depth = 1;
  let place = at + 1;
  while (depth > 0) {
    place = after(filler, text, place);
    if (text[place] === '"') {
      place = after(string, text, place);
      continue;
    }
    depth += text[place] === "{" || text[place] === "[" ? 1 : -1;
    place += 1;
  }
  return place;
}

/**
 * Splits records from the store into their members. The text is comma-separated JSON without white space. Values are not parsed, so that
 * numbers keep their digits.
 */
export function* readRecords(text: string): Generator<RecordText> {
  for (let at = 0; at < text.length; at += 1) {
    const start = at;
    const members: RecordMember[] = [];
    while (text[at] !== "}") {
      const colon = after(string, text, at + 1);
      if (text[colon] !== ":") break;
      const end = endOfValue(text, colon + 1);
      members.push({ name: text.slice(at + 2, colon - 1), value: text.slice(colon + 1, end) });
      at = end;
    }
    at = text.indexOf("}", at) + 1;
    yield { text: text.slice(start, at), members };
  }
}
