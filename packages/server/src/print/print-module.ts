/** A property of an entity set as it is declared; or, in its place, a comment that says why it is left out. */
export type PrintedMember =
  | {
      readonly name: string;
      /** The declaration, such as `text(20).nullable()`. */
      readonly text: string;
      /** A comment on what the declaration cannot say. */
      readonly remark?: string;
    }
  | { readonly comment: string };

/** An entity set as it is declared. */
export type PrintedSet = {
  readonly name: string;
  /** Undefined: the table has the name of the set. */
  readonly table?: string;
  readonly key: readonly PrintedMember[];
  readonly properties: readonly PrintedMember[];
  readonly navigation: readonly PrintedMember[];
};

/** Functions that declarations call. */
const functions = [
  "bigInteger",
  "boolean",
  "collection",
  "date",
  "decimal",
  "double",
  "entitySet",
  "enumeration",
  "geographyPoint",
  "guid",
  "instant",
  "integer",
  "many",
  "one",
  "single",
  "smallInteger",
  "sql",
  "text",
  "timeOfDay",
] as const;

/** Names that a module cannot declare: those it imports or exports, and the reserved words of JavaScript modules. */
const reserved: ReadonlySet<string> = new Set([
  ...functions,
  "entitySets",
  ..."arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof var void while with yield".split(
    " ",
  ),
]);

/**
 * Prints a module of declarations.
 *
 * @param header comment on where they come from
 * @param omitted comments on what is left out
 */
export function printModule(header: string, omitted: readonly string[], sets: readonly PrintedSet[]): string {
  const constants = uniqueNames(
    sets.map(({ name }) => name),
    (name) =>
      reserved.has(name) || !isIdentifier(name)
        ? `${name.replaceAll(/[^\p{ID_Continue}$]/gu, "_")}Set`
        : name,
  );
  const printed = sets.map((set) => printSet(set, constants.get(set.name) ?? set.name));
  const plain = printed.join("\n").replaceAll(/"(?:[^"\\]|\\.)*"|\/\/.*/g, "");
  const used = functions.filter((name) => new RegExp(`\\b${name}[(\`]`).test(plain));
  const comments = omitted.map((one) => `// ${oneLine(one)}\n`).join("");
  return [
    `// ${oneLine(header)}`,
    `import { ${used.join(", ")} } from "@cadastre/server/model";`,
    "",
    `${comments}${printed.join("\n\n")}`,
    "",
    `export const entitySets = [${sets.map(({ name }) => constants.get(name)).join(", ")}] as const;`,
    "",
  ].join("\n");
}

/** Returns a name of its own for each name, by numbers after those that are taken. */
export function uniqueNames(
  names: readonly string[],
  toName: (name: string) => string,
  taken: Iterable<string> = [],
): ReadonlyMap<string, string> {
  const all = new Set(taken);
  return new Map(
    names.map((name) => {
      const wanted = toName(name);
      let own = wanted;
      for (let i = 2; all.has(own); i += 1) own = `${wanted}_${i}`;
      all.add(own);
      return [name, own];
    }),
  );
}

const isIdentifier = (name: string): boolean => /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(name);

const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ");

/** Prints a name as that of a member: `__proto__` would be the prototype of the object. */
function memberName(name: string): string {
  if (name === "__proto__") return '["__proto__"]';
  return isIdentifier(name) ? name : JSON.stringify(name);
}

function printSet({ name, table, key, properties, navigation }: PrintedSet, constant: string): string {
  const body = (members: readonly PrintedMember[]): readonly string[] =>
    members.flatMap((member) =>
      "comment" in member
        ? [`    // ${oneLine(member.comment)}`]
        : [
            ...(member.remark === undefined ? [] : [`    // ${oneLine(member.remark)}`]),
            `    ${memberName(member.name)}: ${member.text},`,
          ],
    );
  return [
    `export const ${constant} = entitySet(${JSON.stringify(name)}, {`,
    ...(table === undefined ? [] : [`  table: ${JSON.stringify(table)},`]),
    "  key: {",
    ...body(key),
    "  },",
    "  properties: {",
    ...body(properties),
    "  },",
    ...(navigation.length === 0 ? [] : ["  navigation: {", ...body(navigation), "  },"]),
    "});",
  ].join("\n");
}

/** Prints the properties that a navigation property compares: `{ ListingKey: "Key" }`. */
export const printPairs = (pairs: readonly (readonly [own: string, other: string])[]): string =>
  `{ ${pairs.map(([own, other]) => `${memberName(own)}: ${JSON.stringify(other)}`).join(", ")} }`;
