import { hasPostgres } from "@cadastre/odata/testing";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AgreeingServices, startAgreeing } from "./support/agreeing-services.ts";
import { ask, query, toCollection } from "./support/ask.ts";

if (!hasPostgres)
  console.warn("no PostgreSQL server is installed: its answers are not compared with SQLite's");

const cases = Number(process.env["CASES"] ?? 100);
const sets = ["Property", "Media", "Member", "Office", "Lookup"] as const;
const customers = ["national", "market", "state", "coarse"] as const;

type Row = Readonly<Record<string, unknown>>;

describe.skipIf(!hasPostgres || process.env["DATABASE"] === "postgres")(
  "a service on SQLite and one on PostgreSQL",
  () => {
    let services: AgreeingServices;
    const rows: Record<string, readonly Row[]> = {};

    beforeAll(async () => {
      services = await startAgreeing();
      for (const set of sets) {
        const page = await ask(services.baseUrls[0] ?? "", `/reso/odata/${set}${query({ $top: 200 })}`, {
          "x-api-key": services.key("national"),
        });
        rows[set] = toCollection(page).value as readonly Row[];
      }
    }, 120_000);
    afterAll(async () => {
      await services?.stop();
    });

    /** Compares status, type and body, without the port of the service and tokens, which are encrypted anew each time. */
    async function compare(customer: (typeof customers)[number], target: string): Promise<number> {
      const headers = { "x-api-key": services.key(customer) };
      const [one, other] = await Promise.all(
        services.baseUrls.map(async (baseUrl) => {
          const { status, headers: sent, text } = await ask(baseUrl, target, headers);
          const body = text.replaceAll(baseUrl, "").replaceAll(/(skiptoken=)[\w%.-]+/g, "$1");
          return { status, type: sent["content-type"], body };
        }),
      );
      expect([target, other]).toEqual([target, one]);
      return one?.status ?? 0;
    }

    const literalOf = (value: unknown): string =>
      typeof value === "string" && !/^\d{4}-\d\d-\d\d/.test(value)
        ? `'${value.replaceAll("'", "''")}'`
        : String(value);

    /** A comparison of a field with the value of a stored record. */
    const comparisonOf = (set: string) =>
      fc
        .tuple(
          fc.nat(),
          fc.nat(),
          fc.constantFrom("eq", "ne", "gt", "ge", "lt", "le", "contains", "startswith"),
        )
        .map(([at, field, operator]) => {
          const all = rows[set] ?? [];
          const row = all[at % all.length] ?? {};
          const scalars = Object.entries(row).filter(
            ([name, value]) => !name.startsWith("@") && typeof value !== "object",
          );
          const [name = "", value] = scalars[field % scalars.length] ?? [];
          if (!operator.includes("s") && !operator.includes("c"))
            return `${name} ${operator} ${literalOf(value)}`;
          if (typeof value !== "string")
            return `${name} ${operator.length > 2 ? "eq" : operator} ${literalOf(value)}`;
          return `${operator}(${name},'${value.slice(0, 3).replaceAll("'", "''")}')`;
        });

    const filterOf = (set: string) =>
      fc
        .tuple(
          comparisonOf(set),
          comparisonOf(set),
          fc.constantFrom("", " and ", " or ", " and not (", " or not ("),
        )
        .map(([first, second, joined]) =>
          joined === "" ? first : `${first}${joined}${second}${joined.endsWith("(") ? ")" : ""}`,
        );

    const requestOf = (set: string) =>
      fc
        .record({
          customer: fc.constantFrom(...customers),
          filter: filterOf(set),
          field: fc.nat(),
          direction: fc.constantFrom("", " desc"),
          ordered: fc.boolean(),
          count: fc.boolean(),
          top: fc.integer({ min: 0, max: 40 }),
          skip: fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined }),
        })
        .map(({ customer, filter, field, direction, ordered, count, top, skip }) => {
          const names = Object.keys(rows[set]?.[0] ?? {}).filter((name) => !name.startsWith("@"));
          const name = names[field % names.length] ?? "";
          return {
            customer,
            target: `/reso/odata/${set}${query({
              $filter: filter,
              $top: top,
              ...(ordered ? { $orderby: name + direction } : {}),
              ...(count ? { $count: true } : {}),
              ...(skip === undefined ? {} : { $skip: skip }),
            })}`,
          };
        });

    test("give the same bytes", { timeout: 120_000 + cases * 200 }, async () => {
      const met = new Map<number, number>();
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...sets).chain((set) => requestOf(set)),
          async ({ customer, target }) => {
            const status = await compare(customer, target);
            met.set(status, (met.get(status) ?? 0) + 1);
          },
        ),
        { numRuns: cases },
      );
      // Most of the requests are answered with records.
      expect(met.get(200)).toBeGreaterThan(cases / 2);
    });

    test.each([
      "/reso/odata",
      "/reso/odata/$metadata",
      "/reso/odata/Property/$count",
      "/reso/odata/Property?$expand=Media&$top=5",
      "/reso/odata/Property?$top=3&$expand=OpenHouse",
      "/v1/me",
      "/v1/coverage",
      "/v1/field-completeness",
      "/v1/market-reports",
      "/v1/properties?limit=5",
      "/v1/datasets",
      "/v1/nothing",
    ])("give the same bytes for %s", async (target) => {
      for (const customer of customers) await compare(customer, target);
    });
  },
);
