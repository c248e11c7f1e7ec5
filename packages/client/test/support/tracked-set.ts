import type { Row } from "./deliveries.ts";
import { json, type TestServer, type Trick } from "./server.ts";

/** An entity set of which every state is kept. Its answers have delta links. */
export type TrackedSet = {
  /** Replaces records by their key, or adds them. */
  readonly put: (...rows: readonly Row[]) => void;
  readonly remove: (...keys: readonly string[]) => void;
  readonly rows: () => readonly Row[];
  /** Forgets all states but the present one. */
  readonly prune: () => void;
  /** Answers requests of the set. */
  readonly trick: Trick;
  /** False: without delta links. */
  isTracked: boolean;
  form: "4.0" | "4.01";
};

type State = ReadonlyMap<string, Row>;

const path = "/reso/odata/Property";
const pageSize = 4;
const keyOf = (row: Row) => String(row["ListingKey"]);
const byTime = (a: Row, b: Row) => {
  const [left, right] = [a, b].map((row) => `${String(row["ModificationTimestamp"])} ${keyOf(row)}`);
  return (left ?? "") < (right ?? "") ? -1 : 1;
};

/** Tokens are `w` (a walk), `d` (a delta link) or `c` (changes), the states, and the offset of the page. */
export function trackedSet(): TrackedSet {
  const states: State[] = [new Map()];
  let oldest = 0;
  const now = (): State => states.at(-1) ?? new Map<string, Row>();
  const change = (work: (state: Map<string, Row>) => void) => {
    const next = new Map(now());
    work(next);
    states.push(next);
  };
  const removed = (key: string, { url }: TestServer): Row =>
    set.form === "4.01"
      ? { "@removed": { reason: "deleted" }, "@id": `${url}${path}('${key}')`, ListingKey: key }
      : {
          "@odata.context": `${url}/reso/odata/$metadata#Property/$deletedEntity`,
          id: `${url}${path}('${encodeURIComponent(key.replaceAll("'", "''"))}')`,
          reason: "deleted",
        };
  const changesOf = (from: number, to: number, server: TestServer): readonly Row[] => {
    const stateAt = (at: number): State => states[at] ?? new Map<string, Row>();
    const [old, is] = [stateAt(from), stateAt(to)];
    const keys = [...new Set([...old.keys(), ...is.keys()])].toSorted();
    return keys.flatMap((key) => {
      if (old.get(key) === is.get(key)) return [];
      return [is.get(key) ?? removed(key, server)];
    });
  };
  const set: TrackedSet = {
    isTracked: true,
    form: "4.01",
    put: (...rows) => change((state) => rows.forEach((row) => void state.set(keyOf(row), row))),
    remove: (...keys) => change((state) => keys.forEach((key) => void state.delete(key))),
    rows: () => [...now().values()],
    prune: () => {
      oldest = states.length - 1;
    },
    trick: ({ url }, response, server) => {
      const { pathname, searchParams } = new URL(url, server.url);
      if (pathname !== path) return false;
      const last = states.length - 1;
      const token = searchParams.get("$token") ?? `w${last}:${last}:0`;
      const [from = 0, to = 0, offset = 0] = token.slice(1).split(":").map(Number);
      if (from < oldest) return json(response, 410, { error: { code: "delta_link_expired", message: "" } });
      const isDelta = !token.startsWith("w");
      const until = token.startsWith("d") ? last : to;
      const since = /ModificationTimestamp ge (\S+)/.exec(searchParams.get("$filter") ?? "")?.[1] ?? "";
      const entries = isDelta
        ? changesOf(from, until, server)
        : [...(states[from]?.values() ?? [])]
            .filter((row) => String(row["ModificationTimestamp"]) >= since)
            .toSorted(byTime);
      const top = searchParams.get("$top") === "0" ? 0 : pageSize;
      const value = entries.slice(offset, offset + top);
      const isLast = top === 0 || offset + top >= entries.length;
      const link = (text: string) => {
        const filter = searchParams.get("$filter");
        return `${server.url}${path}?$token=${text}${filter === null ? "" : `&$filter=${encodeURIComponent(filter)}`}`;
      };
      const next = `${isDelta ? "c" : "w"}${from}:${until}:${offset + top}`;
      return json(response, 200, {
        value,
        ...(isLast ? {} : { "@odata.nextLink": link(next) }),
        ...(isLast && set.isTracked ? { "@odata.deltaLink": link(`d${until}`) } : {}),
      });
    },
  };
  return set;
}
