import { sql } from "../sql/fragment.ts";
import { defineFunction, type FunctionEntry } from "./define.ts";

type Numbers = Readonly<Record<string, string>>;

/** The table that was read last: it is constant in a query. */
let last: { readonly text: string; readonly numbers: Numbers } = { text: "{}", numbers: {} };

function numbersIn(text: string): Numbers {
  if (last.text !== text) last = { text, numbers: parsed(text) };
  return last.numbers;
}

/** Parses a table of numbers. A text that is none has no members: no function may fail. */
function parsed(text: string): Numbers {
  try {
    return Object(JSON.parse(text)) as Numbers;
  } catch {
    return {};
  }
}

const numberOf = (numbers: Numbers, name: string): bigint | null => {
  const text = Object.hasOwn(numbers, name) ? numbers[name] : undefined;
  return text === undefined ? null : BigInt(text);
};

/**
 * The underlying number of an enumeration value, which orders enumerations. The second argument is a JSON object with
 * the number of each member, as text. If it has a member with an empty name, a value combines several flags. Null
 * for text that is no member.
 */
export const enumValue: FunctionEntry = defineFunction({
  name: "enumvalue",
  source: "OData CSDL 4.01, section 10.2.1",
  params: ["Edm.String", "Edm.String"],
  returns: "Edm.Int64",
  postgres: ([text, numbers]) => sql`cadastre_enumvalue(${text}, ${numbers})`,
  evaluate: ([text, json]) => {
    const numbers = numbersIn(json);
    if (!Object.hasOwn(numbers, "")) return numberOf(numbers, text);
    const flags = [...new Set(text.split(","))].map((name) => numberOf(numbers, name) ?? 0n);
    return flags.reduce((sum, flag) => sum + flag, 0n);
  },
  examples: [],
});
