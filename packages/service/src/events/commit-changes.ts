import { restrict, type Scope } from "@cadastre/entitlement";
import type { BoundNode } from "@cadastre/odata";
import { LruCache } from "@cadastre/odata/lru-cache";
import { allOf } from "@cadastre/odata/tree";
import type { Catalog, ResourceName } from "@cadastre/reso";
import type { Page, Store } from "@cadastre/store";
import { compareCodePoints, isKeyBeyond, isKeyUpTo, textKeyOf } from "@cadastre/store/changes";
import { changeScope } from "../identity/system-scope.ts";
import { changeQueryOf } from "./change-query.ts";
import { type Difference, recordDifference } from "./changed-members.ts";

/** Changes of a resource from one checkpoint to another. */
export type ChangeWindow = {
  readonly resource: ResourceName;
  readonly since: number;
  readonly asOf: number;
};

/** A key of which a version ended or began. */
type KeyChange = {
  readonly key: string;
  /** Undefined if the record was not there before, or is not any more. */
  readonly difference: Difference | undefined;
};

/** The state in which a scope finds a record: bits that may both be set. */
export const visibility = { before: 1, now: 2 } as const;

/** Changes of keys that follow each other, in the order of the key. */
export type ChangeChunk = {
  readonly changes: readonly KeyChange[];
  /** True if no change of a later key follows. */
  readonly isLast: boolean;
  /** Returns for each change the states in which a scope finds the record, see {@link visibility}. */
  readonly visibleTo: (scope: Scope, signal: AbortSignal) => Promise<Uint8Array>;
};

/** Number of keys of a state that are read at once. */
const pageSize = 1000;

/** Number of chunks that are kept, and of the different row conditions that are kept of each. */
const keptChunks = 16;
const keptConditions = 64;

/**
 * Reads what commits changed, once for all customers: each pair of versions, and which fields differ. The rows that a scope finds among them are
 * read once for all scopes with the same condition on rows. Nothing here is shown to a customer.
 */
export class CommitChanges {
  readonly #store: Pick<Store, "page">;
  readonly #catalog: Catalog;
  readonly #chunks = new LruCache<string, ChangeChunk>(keptChunks);

  constructor(store: Pick<Store, "page">, catalog: Catalog) {
    this.#store = store;
    this.#catalog = catalog;
  }

  /**
   * Returns the first changes of keys beyond `after`.
   *
   * @throws {StoreError} `bookmark_expired`
   */
  async chunk(window: ChangeWindow, after: string | null, signal: AbortSignal): Promise<ChangeChunk> {
    const name = JSON.stringify([window.resource, window.since, window.asOf, after]);
    if (this.#chunks.has(name)) return this.#chunks.get(name, unread);
    const chunk = await this.#read(window, after, signal);
    return this.#chunks.get(name, () => chunk);
  }

  async #read(window: ChangeWindow, after: string | null, signal: AbortSignal): Promise<ChangeChunk> {
    const { resource, since, asOf } = window;
    const query = changeQueryOf(this.#catalog)(resource);
    const key = textKeyOf(query.entitySet);
    const beyond = after === null ? allOf() : isKeyBeyond(key, after);
    const restricted = restrict({ ...query, filter: beyond, top: pageSize }, changeScope(this.#catalog));
    const read = { keys: true, lines: true, nulls: false, background: true, signal };
    const ended = await this.#store.page(restricted, { ...read, asOf: since, until: asOf });
    const began = await this.#store.page(restricted, { ...read, asOf, since }).catch((error: unknown) => {
      ended.release?.();
      throw error;
    });
    const { changes, isLast } = merge(ended, began);
    ended.release?.();
    began.release?.();
    const last = changes.at(-1)?.key;
    const filter = isLast || last === undefined ? beyond : allOf(beyond, isKeyUpTo(key, last));
    const positions = new Map(changes.map((change, i) => [change.key, i]));
    const known = new LruCache<string, Uint8Array>(keptConditions);
    const changed = { ...query, select: [], filter, top: changes.length };
    return {
      changes,
      isLast,
      visibleTo: async (scope, keySignal) => {
        const condition = conditionOf(scope.rows(resource));
        if (known.has(condition)) return known.get(condition, unread);
        const found = new Uint8Array(changes.length);
        const note = async (bit: number, state: Parameters<Store["page"]>[1]) => {
          const options = { ...state, keys: true, background: true, signal: keySignal };
          const page = await this.#store.page(restrict(changed, scope), options);
          page.release?.();
          for (const one of page.keys ?? []) {
            const i = positions.get(String(one));
            if (i !== undefined) found[i] = (found[i] ?? 0) | bit;
          }
        };
        if (ended.length > 0) await note(visibility.before, { asOf: since, until: asOf });
        if (began.length > 0) await note(visibility.now, { asOf, since });
        return known.get(condition, () => found);
      },
    };
  }
}

const unread = (): never => {
  throw new TypeError("the cache lost an entry");
};

const conditions = new WeakMap<BoundNode, string>();

/** Returns a text that is the same for conditions that mean the same on a resource. */
function conditionOf(rows: BoundNode): string {
  const known = conditions.get(rows);
  if (known !== undefined) return known;
  const text = JSON.stringify(rows, (_name, member: unknown) =>
    typeof member === "bigint" ? `${member}n` : member,
  );
  conditions.set(rows, text);
  return text;
}

type Line = { readonly key: string; readonly text: Buffer };

/** Merges the pages of two states, up to the last key that both have read. */
function merge(ended: Page, began: Page): Pick<ChangeChunk, "changes" | "isLast"> {
  const [before, now] = [linesOf(ended), linesOf(began)];
  const ends = [ended.next === null ? [] : before.slice(-1), began.next === null ? [] : now.slice(-1)];
  const [end] = ends
    .flat()
    .map(({ key }) => key)
    .toSorted(compareCodePoints);
  const changes: KeyChange[] = [];
  for (let i = 0, j = 0; i < before.length || j < now.length; ) {
    const [old, fresh] = [before[i], now[j]];
    const order = old === undefined ? 1 : fresh === undefined ? -1 : compareCodePoints(old.key, fresh.key);
    const { key } = (order <= 0 ? old : fresh) as Line;
    if (end !== undefined && compareCodePoints(key, end) > 0) break;
    const both = order === 0 && old !== undefined && fresh !== undefined;
    changes.push({ key, difference: both ? recordDifference(old.text, fresh.text) : undefined });
    if (order <= 0) i++;
    if (order >= 0) j++;
  }
  return { changes, isLast: end === undefined };
}

function linesOf({ records: { buffer, byteOffset, byteLength }, keys = [] }: Page): readonly Line[] {
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  let start = 0;
  return keys.map((key) => {
    const end = bytes.indexOf(newline, start);
    const text = bytes.subarray(start, end < 0 ? bytes.length : end);
    start += text.length + 1;
    return { key: String(key), text };
  });
}

const newline = 0x0a;
