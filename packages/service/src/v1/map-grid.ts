import { type RestrictedQuery, restrict, visibleEntitySet } from "@cadastre/entitlement";
import { type BoundNode, bindQuery, type EntitySet, parseFilter, parseSelect } from "@cadastre/odata";
import { mapChildren } from "@cadastre/odata/tree";
import { z } from "zod";
import { conditionRefusal } from "../endpoint/condition-refusal.ts";
import { defineEndpoint, type EndpointCall } from "../endpoint/endpoint.ts";
import { whole } from "../endpoint/members.ts";
import { faultCode } from "../endpoint/read-request.ts";
import { Refused } from "../errors.ts";
import { cellCacheOf } from "./cell-cache.ts";
import { cellsOf, cellsPerDegree, gridOver } from "./grid-cells.ts";
import { requireFilteredListings } from "./proven-set.ts";
import type { V1Services } from "./services.ts";

const number = "-?\\d{1,3}(?:\\.\\d{1,12})?";
const boxPattern = new RegExp(`^${number},${number},${number},${number}$`);

/** The parameter `box`: west, south, east and north, in degrees. */
const box = z
  .string()
  .regex(boxPattern, faultCode("invalid_box"))
  .transform((text) => {
    const [west = 0, south = 0, east = 0, north = 0] = text.split(",").map(Number);
    return { west, south, east, north };
  })
  .refine(
    ({ west, south, east, north }) =>
      -180 <= west && west < east && east <= 180 && -90 <= south && south < north && north <= 90,
    faultCode("invalid_box"),
  )
  .default({ west: -180, south: -90, east: 180, north: 90 })
  .meta({
    type: "string",
    description: "West, south, east and north in degrees. By default the earth",
    example: "-98.1,30,-97.4,30.6",
  });

/** Most columns and rows of a grid. */
const mostCells = 128;

const cellNumber = z
  .string()
  .regex(/^\d{1,3}$/, faultCode("invalid_cells"))
  .transform(Number)
  .pipe(z.int().min(1, faultCode("invalid_cells")).max(mostCells, faultCode("invalid_cells")))
  .default(64)
  .meta({ description: "Most cells from west to east, and from south to north" });

/**
 * Not in the interface specification. Counts the listings that a query with the filter would return, by where the caller sees them. A
 * caller without coordinates gets `not_found`.
 */
export const mapGrid = defineEndpoint({
  method: "get",
  path: "/v1/map-grid",
  tag: "JSON",
  summary: "Number of listings in each cell of a grid over a map (beyond the specification)",
  channel: "api",
  query: {
    filter: z.string().optional().meta({ description: "Condition, as `$filter` of `Property`" }),
    box,
    cells: cellNumber,
  },
  answer: {
    data: z.object({
      cell_degrees: z.number(),
      minimum_cell_size: whole,
      cells: z.array(
        z.object({
          west: z.number(),
          south: z.number(),
          east: z.number(),
          north: z.number(),
          count: whole,
          suppressed: z.boolean(),
        }),
      ),
    }),
  },
  errors: [
    "invalid_box",
    "invalid_cells",
    "invalid_filter",
    "not_found",
    "query_timeout",
    "too_many_queries",
    "scan_limit_reached",
  ],
  handle: async (call, services: V1Services) => {
    const { stages, query: asked, reply } = call;
    const { minimumCellSize } = services.config;
    const { entitySet, query } = stages.time("bind", () => queryOf(call, services));
    const counts = await countsOf(query, entitySet, call, services);
    return stages.time("render", () => {
      const grid = gridOver(asked.box, asked.cells, shownDegrees(query));
      const isByColumn = query.select[0]?.property.name === "Longitude";
      const cells = cellsOf(grid, counts, isByColumn ? "column first" : "row first");
      return reply({
        cell_degrees: grid.width / cellsPerDegree,
        minimum_cell_size: minimumCellSize,
        cells: cells.map(({ count, ...edges }) => {
          const suppressed = count < minimumCellSize;
          return { ...edges, count: suppressed ? 0 : count, suppressed };
        }),
      });
    });
  },
});

type Call = Pick<
  EndpointCall<unknown, { readonly filter?: string | undefined }>,
  "caller" | "query" | "stages" | "clientGone"
>;

/** @throws {Refused} `service_unavailable`; `not_found` if the caller sees no coordinates; `invalid_filter` */
function queryOf({ caller: { scope }, query: { filter } }: Call, services: V1Services) {
  const entitySet = requireFilteredListings(scope, services);
  const visible = visibleEntitySet(entitySet, scope);
  const { properties } = visible.type;
  if (!properties.has("Latitude") || !properties.has("Longitude")) throw new Refused("not_found");
  return {
    entitySet,
    query: withFilterError(filter, () => {
      const parts = {
        filter: filter === undefined ? undefined : parseFilter(filter),
        select: parseSelect("Longitude,Latitude"),
        top: 0,
      };
      return restrict(bindQuery(parts, visible), scope);
    }),
  };
}

/** Returns the number of listings in cells of the smallest size. After a commit, only what it has changed is read. */
async function countsOf(
  query: RestrictedQuery,
  { name }: EntitySet,
  { caller: { scope }, query: { filter = "" }, stages, clientGone }: Call,
  { store }: V1Services,
): Promise<Int32Array> {
  const cache = cellCacheOf(store);
  const question = JSON.stringify([scope.customer, scope.scopeSha256, name, filter]);
  const known = cache.find(question);
  if (known !== undefined && known.checkpoint === (await store.checkpoint())) return known.cells;
  const counts = await stages.timeAsync("run", (within) =>
    store
      .cells(query, cellsPerDegree, { known, signal: clientGone(), stages: within })
      .catch((error: unknown) => {
        throw conditionRefusal(error, filter);
      }),
  );
  // What the current time decides is not the same later.
  if (!/now\s*\(/i.test(filter)) cache.keep(question, counts);
  return counts.cells;
}

function withFilterError<T>(text: string | undefined, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw conditionRefusal(error, text);
  }
}

/** Returns the smallest number of degrees that the query shows: a mask may round them. */
const shownDegrees = ({ select }: RestrictedQuery): number =>
  Math.max(0, ...select.flatMap(({ expression }) => roundings(expression)).map((digits) => 10 ** -digits));

/** Returns the digits that an expression rounds to, wherever it does. */
function roundings(node: BoundNode): readonly number[] {
  const found: number[] = [];
  const visit = (one: BoundNode): BoundNode => {
    if (one.kind === "Call" && one.entry.name === "roundto" && one.args[1]?.kind === "Constant")
      found.push(Number(one.args[1].value));
    return mapChildren(one, visit);
  };
  visit(node);
  return found;
}
