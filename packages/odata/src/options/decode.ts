import { QueryError } from "../errors.ts";

/** Decoded text, and the offsets in it of semicolons that were percent-encoded. */
export type Decoded = { readonly text: string; readonly encoded: ReadonlySet<number> | undefined };

const encodedRun = /\+|(?:%[\dA-Fa-f]{2})+/g;
const strayPercent = /%(?![\dA-Fa-f]{2})/;
const encodedSemicolon = /%3B/i;

function decodeRun(run: string): string {
  try {
    return decodeURIComponent(run);
  } catch {
    throw new QueryError("invalid_encoding", null, { reason: `\`${run.slice(0, 40)}\` is no UTF-8` });
  }
}

/**
 * Decodes a part of a URL. In a query, a plus sign means a space, as browsers and HTTP clients write it; a literal
 * plus sign is `%2B`. In a path, a plus sign is a plus sign.
 */
export function decode(raw: string, part: "query" | "path"): Decoded {
  if (!raw.includes("%") && (part === "path" || !raw.includes("+"))) return { text: raw, encoded: undefined };
  const stray = strayPercent.exec(raw);
  if (stray !== null) {
    const piece = raw.slice(stray.index, stray.index + 3);
    throw new QueryError("invalid_encoding", null, { reason: `\`${piece}\` is no percent-encoded byte` });
  }
  const encoded = encodedSemicolon.test(raw) ? new Set<number>() : undefined;
  let text = "";
  let copied = 0;
  for (const match of raw.matchAll(encodedRun)) {
    const [run] = match;
    if (run === "+" && part === "path") continue;
    text += raw.slice(copied, match.index);
    const decoded = run === "+" ? " " : decodeRun(run);
    if (encoded !== undefined && run !== "+") {
      for (let at = decoded.indexOf(";"); at >= 0; at = decoded.indexOf(";", at + 1))
        encoded.add(text.length + at);
    }
    text += decoded;
    copied = match.index + run.length;
  }
  return { text: text + raw.slice(copied), encoded };
}

const blanksBefore = /^(?:[ \t+]|%20|%09)*/;
const blankAfter = /(?:[ \t+]|%20|%09)$/;

/**
 * Returns the range of a query string value without the blanks around it (spaces and tabs, percent-encoded or not).
 * The grammar of OData allows no blanks there, but clients send them.
 */
export function withoutBlanks(raw: string): { readonly start: number; readonly end: number } {
  const start = blanksBefore.exec(raw)?.[0].length ?? 0;
  let end = raw.length;
  for (;;) {
    // Removes one blank at a time: a single regular expression for all of them would take quadratic time.
    const blank = blankAfter.exec(raw.slice(Math.max(start, end - "%20".length), end));
    if (blank === null) return { start, end };
    end -= blank[0].length;
  }
}

/**
 * System query options. `bare` is true if the option may be written without its dollar sign; the options of the
 * temporal extension may not.
 *
 * Source: OData 4.01 ABNF, `systemQueryOption`; Data Aggregation 4.0; Temporal Data 4.0.
 */
const options = [
  { name: "$apply", bare: true },
  { name: "$at", bare: false },
  { name: "$compute", bare: true },
  { name: "$count", bare: true },
  { name: "$deltatoken", bare: true },
  { name: "$expand", bare: true },
  { name: "$filter", bare: true },
  { name: "$format", bare: true },
  { name: "$from", bare: false },
  { name: "$id", bare: true },
  { name: "$index", bare: true },
  { name: "$levels", bare: true },
  { name: "$orderby", bare: true },
  { name: "$schemaversion", bare: true },
  { name: "$search", bare: true },
  { name: "$select", bare: true },
  { name: "$skip", bare: true },
  { name: "$skiptoken", bare: true },
  { name: "$to", bare: false },
  { name: "$toInclusive", bare: false },
  { name: "$top", bare: true },
] as const;

export type SystemOptionName = (typeof options)[number]["name"];

const byWriting: ReadonlyMap<string, SystemOptionName> = new Map(
  options.flatMap(({ name, bare }): [string, SystemOptionName][] => {
    const lower = name.toLowerCase();
    const dollar: [string, SystemOptionName] = [lower, name];
    return bare ? [dollar, [lower.slice(1), name]] : [dollar];
  }),
);

/**
 * Returns the system query option that `written` names, in any letter case, with or without its dollar sign.
 */
export const systemOption = (written: string): SystemOptionName | undefined =>
  byWriting.get(written.toLowerCase());

export const systemOptionNames: readonly SystemOptionName[] = options.map(({ name }) => name);
