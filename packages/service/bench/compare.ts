import { isDeepStrictEqual } from "node:util";
import { bodyOf, type Client, nextPathOf } from "./client.ts";
import type { Query } from "./queries.ts";

type Asked = { readonly client: Client; readonly pathOf: (query: Query, turn: number) => string };

/** Returns the records and count of an answer, without other control information. */
function substanceOf(body: Buffer): unknown {
  const { value, "@odata.count": count, ...rest } = JSON.parse(body.toString()) as Record<string, unknown>;
  if (Array.isArray(value)) return { value: value as unknown, count };
  return Object.fromEntries(Object.entries(rest).filter(([name]) => !name.startsWith("@")));
}

/** @throws {Error} if two servers return different records, orders or counts for the same query */
export async function compare(query: Query, one: Asked, other: Asked): Promise<void> {
  for (const turn of [0, 1, 17]) {
    let paths: readonly (string | undefined)[] = [one.pathOf(query, turn), other.pathOf(query, turn)];
    for (let page = 0; page < (query.walk ? 3 : 1); page++) {
      const [path, otherPath] = paths;
      if (path === undefined || otherPath === undefined) throw new Error(`${query.name}: a walk ends early`);
      const bodies = [await bodyOf(one.client, path), await bodyOf(other.client, otherPath)] as const;
      const [left, right] = bodies.map(substanceOf);
      if (!isDeepStrictEqual(left, right)) throw new Error(`${path} and ${otherPath} differ`);
      paths = bodies.map(nextPathOf);
    }
  }
}
