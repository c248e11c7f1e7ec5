import type { Row } from "@cadastre/odata";
import { ask, type Headers, type Reply, toCollection, walk } from "../support/ask.ts";
import { type Running, run } from "../support/running.ts";
import { type DeclaredSet, readMetadata } from "./metadata.ts";

/** A set that the service document names, with all that a client can learn of it. */
export type ServedSet = DeclaredSet & { readonly rows: readonly Row[] };

/** A service, and what it says and gives to a client that knows nothing of it but its address and a token. */
export type Served = {
  readonly sets: readonly ServedSet[];
  /** Ask below the service root, spaces and quotes as certifiers send them. */
  readonly get: (target: string, headers?: Headers) => Promise<Reply>;
  /** All rows from `target` on, by next links. */
  readonly rowsOf: (target: string, headers?: Headers) => Promise<readonly Row[]>;
  readonly stop: () => Promise<void>;
};

const root = "/reso/odata";

/** A service as an applicant would set it up. */
export async function serve(): Promise<Served> {
  const running = await run({ CADASTRE_CERTIFICATION: "true" });
  const { get, rowsOf } = clientOf(running);
  const declared = readMetadata((await get("/$metadata")).text);
  // Events are no records: certification has a suite of its own for them.
  const names = toCollection(await get(""))
    .value.map(({ name }) => String(name))
    .filter((name) => name !== "EntityEvent");
  const sets = await Promise.all(
    names.map(async (name) => {
      const set = declared.get(name);
      if (set === undefined) throw new Error(`\`${name}\` is in the service document alone`);
      return { ...set, rows: await rowsOf(`/${name}`, { prefer: "odata.maxpagesize=1000" }) };
    }),
  );
  return { sets, get, rowsOf, stop: running.stop };
}

function clientOf({ service: { baseUrl }, key }: Running): Pick<Served, "get" | "rowsOf"> {
  const authorization = { authorization: `Bearer ${key("national")}` };
  const encoded = (target: string) => root + target.replaceAll(" ", "%20");
  return {
    get: (target, headers) => ask(baseUrl, encoded(target), { ...authorization, ...headers }),
    rowsOf: async (target, headers) =>
      (await walk(baseUrl, encoded(target), { ...authorization, ...headers })).flatMap(
        ({ value }) => value as readonly Row[],
      ),
  };
}
