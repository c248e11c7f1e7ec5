import fc from "fast-check";
import { type ApplyOutput, bindApply, parseApply } from "../../src/apply/index.ts";
import { type EntitySet, type PrimitiveType, QueryError } from "../../src/index.ts";

type Draw = <T>(arbitrary: () => fc.Arbitrary<T>) => T;

/** Expressions over the entities of a set, as texts. */
export type EntityTexts = {
  readonly filter: fc.Arbitrary<string>;
  readonly orderBy: fc.Arbitrary<string>;
  readonly number: fc.Arbitrary<string>;
  /** Expressions with values that sort. */
  readonly value: fc.Arbitrary<string>;
  /** Paths to group by. */
  readonly key: fc.Arbitrary<string>;
};

const numeric: ReadonlySet<PrimitiveType> = new Set([
  "Edm.Byte",
  "Edm.SByte",
  "Edm.Int16",
  "Edm.Int32",
  "Edm.Int64",
  "Edm.Decimal",
  "Edm.Single",
  "Edm.Double",
]);

const literals: Partial<Record<PrimitiveType, readonly string[]>> = {
  "Edm.String": ["'a'", "''", "'York'", "'Oven'"],
  "Edm.Boolean": ["true"],
  "Edm.Date": ["2024-02-29"],
  "Edm.DateTimeOffset": ["2024-01-15T08:30:03.123Z"],
  "Edm.TimeOfDay": ["08:30:00.5"],
  "Edm.Duration": ["duration'PT36H'"],
  "Edm.Guid": ["ffffffff-ffff-ffff-ffff-ffffffffffff"],
};

type Choice = fc.Arbitrary<string>;

/** Expressions over the properties of a result that is no set of entities. */
function textsOver({ columns }: ApplyOutput): EntityTexts {
  const sorted = columns.filter(
    ({ property: { type, collection } }) =>
      !collection && !type.startsWith("Edm.Geo") && type !== "Edm.Binary",
  );
  const names = sorted.map(({ path }) => path.join("/"));
  const numbers = sorted
    .filter(({ property: { type } }) => numeric.has(type))
    .map(({ path }) => path.join("/"));
  const number: Choice =
    numbers.length === 0
      ? fc.constantFrom("1", "2.5", "null")
      : fc.oneof(
          fc.constantFrom(...numbers),
          fc
            .tuple(
              fc.constantFrom(...numbers),
              fc.constantFrom("add", "sub", "mul", "divby"),
              fc.constantFrom("2", "0.5", "1e3", ...numbers),
            )
            .map((parts) => parts.join(" ")),
        );
  const value: Choice = fc.oneof(number, fc.constantFrom("1", ...names));
  const comparisons = sorted.flatMap(({ path, property: { type, enumType } }) => {
    const name = path.join("/");
    const given = numeric.has(type) ? ["1", "0", "2.5"] : (literals[type] ?? []);
    const compared = enumType === undefined ? given : [];
    return [
      `${name} eq null`,
      `${name} ne null`,
      ...compared.flatMap((literal) => [
        `${name} gt ${literal}`,
        `${name} eq ${literal}`,
        `not (${name} le ${literal})`,
      ]),
      ...(compared.length > 1 ? [`${name} in (${compared.join()},null)`] : []),
    ];
  });
  const filter: Choice = fc.oneof(
    fc.constantFrom("true", "false", ...comparisons),
    number.map((text) => `(${text}) ge 1`),
  );
  const item = fc.tuple(value, fc.constantFrom("asc", "desc")).map((parts) => parts.join(" "));
  const orderBy = fc.array(item, { minLength: 1, maxLength: 2 }).map((items) => items.join());
  return { filter, orderBy, number, value, key: fc.constantFrom(...(names.length === 0 ? ["none"] : names)) };
}

const count = (least: number) => fc.integer({ min: least, max: 4 }).map(String);

/** Random sequences of transformations over a set of entities, each of which can be bound. */
export class PipelineGenerator {
  readonly #draw: Draw;
  readonly #entitySet: EntitySet;
  readonly #texts: EntityTexts;
  #names = 0;

  constructor(gen: fc.GeneratorValue, entitySet: EntitySet, texts: EntityTexts) {
    this.#draw = (arbitrary) => gen(arbitrary);
    this.#entitySet = entitySet;
    this.#texts = texts;
  }

  /** Returns texts of expressions over the result of `apply`. */
  textsAfter(apply: string): EntityTexts {
    const { output } = bindApply(parseApply(apply), this.#entitySet);
    return output.isEntities ? this.#texts : textsOver(output);
  }

  sequence(): string {
    return this.#after("identity", 2, 4).join("/");
  }

  /** Returns transformations that can follow `before`. */
  #after(before: string, depth: number, most: number): readonly string[] {
    const steps: string[] = [];
    const length = this.#draw(() => fc.integer({ min: 1, max: most }));
    for (let i = 0; i < length; i += 1) {
      const prefix = [before, ...steps].join("/");
      const step = this.#step(prefix, depth);
      if (this.#isBound(`${prefix}/${step}`)) steps.push(step);
    }
    return steps.length === 0 ? ["identity"] : steps;
  }

  #isBound(text: string): boolean {
    try {
      bindApply(parseApply(text), this.#entitySet);
      return true;
    } catch (error) {
      if (error instanceof QueryError) return false;
      throw error;
    }
  }

  #step(before: string, depth: number): string {
    const draw = this.#draw;
    const { filter, orderBy, number, value, key } = this.textsAfter(before);
    const kinds = ["filter", "compute", "orderby", "top", "skip", "topcount", "bottomcount"] as const;
    const larger = ["groupby", "groupby", "groupby", "aggregate", "concat"] as const;
    const kind = draw(() => fc.constantFrom(...kinds, ...(depth === 0 ? larger.slice(0, -1) : larger)));
    switch (kind) {
      case "filter":
        return `filter(${draw(() => filter)})`;
      case "compute":
        return `compute(${draw(() => value)} as ${this.#name()},${draw(() => number)} as ${this.#name()})`;
      case "orderby":
        return `orderby(${draw(() => orderBy)})`;
      case "top":
      case "skip":
        return `${kind}(${draw(() => count(0))})`;
      case "topcount":
      case "bottomcount":
        return `${kind}(${draw(() => count(1))},${draw(() => value)})`;
      case "aggregate":
        return this.#aggregate(number, value);
      case "groupby": {
        const keys = draw(() => fc.array(key, { minLength: 1, maxLength: 3 })).join();
        const inner = draw(() =>
          fc.constantFrom("none", "aggregate", "filter", "narrow", "narrow", "narrow and aggregate"),
        );
        if (inner === "none") return `groupby((${keys}))`;
        if (inner.startsWith("narrow")) {
          const steps = draw(() => fc.array(this.#narrowing(before), { minLength: 1, maxLength: 3 }));
          const last = inner === "narrow" ? [] : [this.#aggregate(number, value)];
          return `groupby((${keys}),${[...steps, ...last].join("/")})`;
        }
        const aggregate = this.#aggregate(number, value);
        return inner === "filter"
          ? `groupby((${keys}),filter(${draw(() => filter)})/${aggregate})`
          : `groupby((${keys}),${aggregate})`;
      }
      case "concat": {
        const branches = [this.#after(before, depth - 1, 2), this.#after(before, depth - 1, 2)];
        return `concat(${branches.map((branch) => branch.join("/")).join()})`;
      }
    }
  }

  #aggregate(number: Choice, value: Choice): string {
    const draw = this.#draw;
    const items = draw(() =>
      fc.array(fc.constantFrom("sum", "average", "min", "max", "countdistinct", "$count"), {
        minLength: 1,
        maxLength: 3,
      }),
    );
    const texts = items.map((method) => {
      const name = this.#name();
      if (method === "$count") return `$count as ${name}`;
      const operand = draw(() => (method === "sum" || method === "average" ? number : value));
      return `${operand} with ${method} as ${name}`;
    });
    return `aggregate(${texts.join()})`;
  }

  /** Generates a transformation of one group. */
  #narrowing(before: string): Choice {
    const { filter, orderBy, value } = this.textsAfter(before);
    return fc.oneof(
      fc
        .tuple(fc.constantFrom("topcount", "bottomcount"), count(1), value)
        .map(([name, n, by]) => `${name}(${n},${by})`),
      orderBy.map((text) => `orderby(${text})`),
      fc
        .tuple(fc.constantFrom("top", "top", "skip"), fc.constantFrom("1", "2"))
        .map(([name, n]) => `${name}(${n})`),
      filter.map((text) => `filter(${text})`),
    );
  }

  #name(): string {
    this.#names += 1;
    return `N${this.#names}`;
  }
}
