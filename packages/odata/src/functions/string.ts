import { sql } from "../sql/fragment.ts";
import { lowerCase, upperCase } from "./case-mapping.ts";
import { defineFunction, type FunctionEntry } from "./define.ts";
import { codePointLength, codePointSlice } from "./slice.ts";

// A function without `sqlite` runs in SQLite as a registered function that calls `evaluate`.

// An SQL template uses each argument only once: calls can be nested, and a repeated argument would double the
// text at each level.

export const concat: FunctionEntry = defineFunction({
  name: "concat",
  source: "OData 4.01 URL Conventions 5.1.1.5.1",
  params: ["Edm.String", "Edm.String"],
  returns: "Edm.String",
  sqlite: ([left, right]) => sql`${left} || ${right}`,
  postgres: ([left, right]) => sql`${left} || ${right}`,
  evaluate: ([left, right]) => left + right,
  examples: [
    ["concat('Main ','Street')", "Main Street"],
    ["concat(concat('a','😀'),'é')", "a😀é"],
    ["concat('','x')", "x"],
    ["concat('','')", ""],
    ["concat('x',null)", null],
  ],
});

export const contains: FunctionEntry = defineFunction({
  name: "contains",
  finds: "within",
  source: "OData 4.01 URL Conventions 5.1.1.5.2",
  params: ["Edm.String", "Edm.String"],
  returns: "Edm.Boolean",
  sqlite: ([text, part]) => sql`instr(${text}, ${part}) > 0`,
  postgres: ([text, part]) => sql`strpos(${text}, ${part}) > 0`,
  evaluate: ([text, part]) => text.includes(part),
  examples: [
    ["contains('Main Street','Street')", true],
    ["contains('Main Street','street')", false],
    ["contains('100%','%')", true],
    ["contains('Main Street','_')", false],
    ["contains('Main Street','')", true],
    ["contains('','')", true],
    ["contains('','x')", false],
    ["contains('a😀b','😀')", true],
    ["contains(null,'x')", null],
    ["contains('x',null)", null],
  ],
});

export const endswith: FunctionEntry = defineFunction({
  name: "endswith",
  finds: "end",
  source: "OData 4.01 URL Conventions 5.1.1.5.3",
  params: ["Edm.String", "Edm.String"],
  returns: "Edm.Boolean",
  postgres: ([text, part]) => sql`starts_with(reverse(${text}), reverse(${part}))`,
  evaluate: ([text, part]) => text.endsWith(part),
  examples: [
    ["endswith('Main Street','Street')", true],
    ["endswith('Main Street','street')", false],
    ["endswith('Street','Main Street')", false],
    ["endswith('Main Street','')", true],
    ["endswith('','')", true],
    ["endswith('a😀','😀')", true],
    ["endswith('abab','ab')", true],
    ["endswith('\u00e9','\u0301')", false],
    ["endswith(null,'x')", null],
  ],
});

export const indexof: FunctionEntry = defineFunction({
  name: "indexof",
  source: "OData 4.01 URL Conventions 5.1.1.5.4",
  params: ["Edm.String", "Edm.String"],
  returns: "Edm.Int32",
  sqlite: ([text, part]) => sql`instr(${text}, ${part}) - 1`,
  postgres: ([text, part]) => sql`(strpos(${text}, ${part}) - 1)::bigint`,
  evaluate: ([text, part]) => {
    const index = text.indexOf(part);
    return index < 0 ? -1n : BigInt(codePointLength(text.slice(0, index)));
  },
  examples: [
    ["indexof('Main Street','Street')", 5],
    ["indexof('Main Street','t')", 6],
    ["indexof('Main Street','x')", -1],
    ["indexof('😀😀b','b')", 2],
    ["indexof('abc','')", 0],
    ["indexof('','')", 0],
    ["indexof('','a')", -1],
    ["indexof(null,'a')", null],
  ],
});

export const length: FunctionEntry = defineFunction({
  name: "length",
  source: "OData 4.01 URL Conventions 5.1.1.5.5",
  params: ["Edm.String"],
  returns: "Edm.Int32",
  sqlite: ([text]) => sql`length(${text})`,
  postgres: ([text]) => sql`char_length(${text})::bigint`,
  evaluate: ([text]) => BigInt(codePointLength(text)),
  examples: [
    ["length('Main Street')", 11],
    ["length('')", 0],
    ["length('😀é')", 2],
    ["length('e\u0301')", 2],
    ["length(null)", null],
  ],
});

export const startswith: FunctionEntry = defineFunction({
  name: "startswith",
  finds: "start",
  source: "OData 4.01 URL Conventions 5.1.1.5.6",
  params: ["Edm.String", "Edm.String"],
  returns: "Edm.Boolean",
  sqlite: ([text, part]) => sql`instr(${text}, ${part}) = 1`,
  postgres: ([text, part]) => sql`starts_with(${text}, ${part})`,
  evaluate: ([text, part]) => text.startsWith(part),
  examples: [
    ["startswith('Main Street','Main')", true],
    ["startswith('Main Street','main')", false],
    ["startswith('100%','1%')", false],
    ["startswith('Main','Main Street')", false],
    ["startswith('Main','')", true],
    ["startswith('','')", true],
    ["startswith('😀a','😀')", true],
    ["startswith('aMain','Main')", false],
    ["startswith('Main',null)", null],
  ],
});

/** A negative start counts from the end, but never goes beyond the beginning. */
export const substring: FunctionEntry = defineFunction({
  name: "substring",
  source: "OData 4.01 URL Conventions 5.1.1.5.7",
  params: ["Edm.String", "Edm.Int64"],
  returns: "Edm.String",
  postgres: ([text, start]) => sql`cadastre_substring(${text}, ${start})`,
  evaluate: ([text, start]) => codePointSlice(text, start, undefined),
  examples: [
    ["substring('Main Street',5)", "Street"],
    ["substring('Main',0)", "Main"],
    ["substring('Main',4)", ""],
    ["substring('Main',9223372036854775807)", ""],
    ["substring('Main',-2)", "in"],
    ["substring('Main',-9223372036854775808)", "Main"],
    ["substring('a😀b',2)", "b"],
    ["substring('a😀b',1)", "😀b"],
    ["substring('',0)", ""],
    ["substring(null,1)", null],
  ],
});

/** Null for a negative length. */
export const substringOfLength: FunctionEntry = defineFunction({
  name: "substring",
  source: "OData 4.01 URL Conventions 5.1.1.5.7",
  params: ["Edm.String", "Edm.Int64", "Edm.Int64"],
  returns: "Edm.String",
  postgres: ([text, start, count]) => sql`cadastre_substring(${text}, ${start}, ${count})`,
  evaluate: ([text, start, count]) => (count < 0n ? null : codePointSlice(text, start, count)),
  examples: [
    ["substring('Main Street',5,2)", "St"],
    ["substring('Main Street',5,100)", "Street"],
    ["substring('Main',1,9223372036854775807)", "ain"],
    ["substring('Main',-3,2)", "ai"],
    ["substring('Main',-10,2)", "Ma"],
    ["substring('Main',0,0)", ""],
    ["substring('Main',9,1)", ""],
    ["substring('a😀b',1,1)", "😀"],
    ["substring('Main',1,2 sub 3)", null],
    ["substring('Main',null,1)", null],
  ],
});

export const tolower: FunctionEntry = defineFunction({
  name: "tolower",
  changesCase: true,
  source: "OData 4.01 URL Conventions 5.1.1.7.2",
  params: ["Edm.String"],
  returns: "Edm.String",
  postgres: ([text]) => sql`cadastre_tolower(${text})`,
  evaluate: ([text]) => lowerCase(text),
  examples: [
    ["tolower('Main STREET 1')", "main street 1"],
    ["tolower('ÅNGSTRÖM')", "ångström"],
    ["tolower('ΟΔΟΣ')", "οδοσ"],
    ["tolower('İ')", "i"],
    ["tolower('𐐀')", "𐐨"],
    ["tolower('')", ""],
    ["tolower(null)", null],
  ],
});

export const toupper: FunctionEntry = defineFunction({
  name: "toupper",
  changesCase: true,
  source: "OData 4.01 URL Conventions 5.1.1.7.3",
  params: ["Edm.String"],
  returns: "Edm.String",
  postgres: ([text]) => sql`cadastre_toupper(${text})`,
  evaluate: ([text]) => upperCase(text),
  examples: [
    ["toupper('Main street 1')", "MAIN STREET 1"],
    ["toupper('straße')", "STRAßE"],
    ["toupper('ŉ ﬁ')", "ŉ ﬁ"],
    ["toupper('ᾀ')", "ᾈ"],
    ["toupper('𐐨')", "𐐀"],
    ["toupper('')", ""],
    ["toupper(null)", null],
  ],
});

/** Removes the white space that ECMAScript's `trim` removes. */
export const trim: FunctionEntry = defineFunction({
  name: "trim",
  source: "OData 4.01 URL Conventions 5.1.1.7.4",
  params: ["Edm.String"],
  returns: "Edm.String",
  sqlite: ([text]) =>
    sql`trim(${text}, char(9, 10, 11, 12, 13, 32, 160, 5760, 8192, 8193, 8194, 8195, 8196, 8197, 8198, 8199, 8200, 8201, 8202, 8232, 8233, 8239, 8287, 12288, 65279))`,
  postgres: ([text]) =>
    sql`btrim(${text}, E'\\t\\n\\u000b\\f\\r \\u00a0\\u1680\\u2000\\u2001\\u2002\\u2003\\u2004\\u2005\\u2006\\u2007\\u2008\\u2009\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff')`,
  evaluate: ([text]) => text.trim(),
  examples: [
    ["trim('  Main Street ')", "Main Street"],
    ["trim('\t\n\u000b\f\r\u00a0x\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000\ufeff')", "x"],
    ["trim('\u200b😀\u0085')", "\u200b😀\u0085"],
    ["trim(' \u3000 ')", ""],
    ["trim('')", ""],
    ["trim(null)", null],
  ],
});
