import { type RestrictedQuery, restrict, visibleEntitySet } from "@cadastre/entitlement";
import { bindQuery, type EntitySet, type Projection, propertyNode } from "@cadastre/odata";
import type { Bookmark, Page, Store } from "@cadastre/store";
import type { ExportBatch, ExportRead } from "../source.ts";
import { columnOf } from "./column-types.ts";
import type { DatasetReader } from "./dataset-reader.ts";

/** Records of a page. */
const pageSize = 1000;

/**
 * The rows of an entity set, as a collection of them shows them.
 *
 * @param entitySet hidden fields and all; its key is one text
 */
export function entitySetReader(store: Pick<Store, "page">, entitySet: EntitySet): DatasetReader {
  const [keyField = ""] = entitySet.type.key;
  if (entitySet.type.key.length !== 1 || entitySet.type.properties.get(keyField)?.type !== "Edm.String")
    throw new TypeError(`the key of \`${entitySet.name}\` is not one text`);
  return {
    columns: (scope) =>
      scope.visible(entitySet.name)
        ? Array.from(visibleEntitySet(entitySet, scope).type.properties.values(), columnOf)
        : undefined,
    read: (request) => batchesOf(store, queryOf(entitySet, request), keyField, request),
  };
}

/** In the order of the key. */
function queryOf(entitySet: EntitySet, { scope, columns }: ExportRead): RestrictedQuery {
  const visible = visibleEntitySet(entitySet, scope);
  const select = columns.map((name): Projection => {
    const property = visible.type.properties.get(name);
    if (property === undefined) throw new TypeError(`\`${name}\` is no column of \`${entitySet.name}\``);
    return { property, expression: propertyNode(property) };
  });
  return restrict({ ...bindQuery({ top: pageSize }, visible), select }, scope);
}

/** The page after the one at hand is read meanwhile. */
async function* batchesOf(
  store: Pick<Store, "page">,
  query: RestrictedQuery,
  keyField: string,
  { checkpoint, from, signal }: ExportRead,
): AsyncGenerator<ExportBatch> {
  const done = new AbortController();
  const given = signal === undefined ? [] : [signal];
  const options = {
    asOf: checkpoint,
    lines: true,
    nulls: false,
    signal: AbortSignal.any([done.signal, ...given]),
  };
  const pageFrom = (bookmark: Bookmark | undefined): Promise<Page> => {
    const page = store.page(query, { ...options, from: bookmark });
    // It may fail, or be given up, before anybody waits for it.
    page.catch(() => undefined);
    return page;
  };
  try {
    let page: Promise<Page> | undefined = pageFrom(from === null ? undefined : bookmarkOf(checkpoint, from));
    while (page !== undefined) {
      const { records: lines, length, next, release }: Page = await page;
      page = next === null ? undefined : pageFrom(next);
      if (length > 0) yield { lines, length, end: positionOf(lines, keyField) };
      release?.();
    }
  } finally {
    done.abort();
  }
}

/** A position is the key of the record before it. */
const bookmarkOf = (checkpoint: number, position: string): Bookmark => ({ checkpoint, key: [position] });

/** The position after the last one of some lines. */
function positionOf(lines: Uint8Array, keyField: string): string {
  const last = lines.lastIndexOf(0x0a, -2) + 1;
  const record = JSON.parse(Buffer.from(lines.subarray(last)).toString()) as Readonly<Record<string, string>>;
  const position = record[keyField];
  if (position === undefined) throw new TypeError(`an export must have the key \`${keyField}\``);
  return position;
}
