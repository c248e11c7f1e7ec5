import { QueryError } from "../errors.ts";
import { nearest } from "../nearest.ts";
import { decode, type SystemOptionName, systemOption, systemOptionNames, withoutBlanks } from "./decode.ts";

/** One option of the query string: `text` is decoded, trimmed and not yet parsed. */
export type OptionText = {
  /** The name as written, decoded. */
  readonly written: string;
  readonly text: string;
  /** Offsets in `text` of semicolons that were percent-encoded. */
  readonly encoded: ReadonlySet<number> | undefined;
  /** Offset of the trimmed value in the raw query string, in UTF-16 code units. */
  readonly offset: number;
};

/** The options of a query string. None is parsed yet: `readOption` does that on demand. */
export type QueryOptions = {
  readonly system: ReadonlyMap<SystemOptionName, OptionText>;
  /** Custom query options, in order; names may repeat. The value of an option without `=` is null. */
  readonly custom: readonly { readonly name: string; readonly value: string | null }[];
  /** Parameter aliases, by name with the at sign. */
  readonly aliases: ReadonlyMap<string, OptionText>;
};

export type QueryOptionSettings = {
  /**
   * Names of further options with a dollar sign that the service understands. They are returned as custom options.
   */
  readonly extensions?: readonly string[];
  /**
   * True to keep the blanks around a value, which the grammar of OData refuses. By default they are removed, because
   * clients send them.
   */
  readonly keepBlanks?: boolean;
};

const aliasName = /^@[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}.]*$/u;

function unknownOption(name: string): QueryError {
  const short = name.slice(0, 40);
  const suggestion = nearest(short, systemOptionNames);
  return new QueryError(
    "unknown_option",
    null,
    suggestion === undefined ? { name: short } : { name: short, suggestion },
  );
}

/**
 * Splits and decodes a raw query string (the part after the `?`). System query options are recognised in any letter
 * case, with or without their dollar sign.
 *
 * @throws {QueryError} `duplicate_option` for a repeated system option or alias, `unknown_option` for an unknown
 * name with a dollar sign, `invalid_encoding`, `syntax_error`.
 */
export function parseQueryOptions(queryString: string, settings: QueryOptionSettings = {}): QueryOptions {
  const extensions = new Set(settings.extensions?.map((name) => name.toLowerCase()));
  const system = new Map<SystemOptionName, OptionText>();
  const aliases = new Map<string, OptionText>();
  const custom: { name: string; value: string | null }[] = [];
  const fragment = queryString.indexOf("#");
  if (fragment >= 0) {
    const details = { expected: "`%23`", found: "`#`" };
    throw new QueryError("syntax_error", { start: fragment, end: fragment + 1 }, details);
  }

  let start = 0;
  for (const part of queryString.split("&")) {
    const at = start;
    start += part.length + 1;
    if (part === "") continue;
    const equals = part.indexOf("=");
    const written = decode(equals < 0 ? part : part.slice(0, equals), "query").text;
    const name = systemOption(written);
    const raw = equals < 0 ? null : part.slice(equals + 1);
    if (name === undefined && !written.startsWith("@")) {
      if (written.startsWith("$") && !extensions.has(written.toLowerCase())) throw unknownOption(written);
      custom.push({ name: written, value: raw === null ? null : decode(raw, "query").text });
      continue;
    }
    if (raw === null) {
      const span = { start: at + part.length, end: at + part.length };
      throw new QueryError(
        "syntax_error",
        span,
        { expected: "`=`", found: "the end of the option" },
        name ?? written,
      );
    }
    const value = settings.keepBlanks === true ? { start: 0, end: raw.length } : withoutBlanks(raw);
    const decoded = decode(raw.slice(value.start, value.end), "query");
    const text: OptionText = { written, ...decoded, offset: at + equals + 1 + value.start };
    if (name !== undefined) {
      if (system.has(name)) throw new QueryError("duplicate_option", null, { name }, name);
      system.set(name, text);
    } else {
      if (!aliasName.test(written)) throw unknownOption(written);
      if (aliases.has(written)) throw new QueryError("duplicate_option", null, { name: written }, written);
      aliases.set(written, text);
    }
  }
  return { system, custom, aliases };
}
