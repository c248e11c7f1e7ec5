import { text } from "node:stream/consumers";
import { type ChainLink, readManifest, requireFollows } from "@cadastre/manifest";
import { type Delivery, domainTable, type PartContent } from "../index.ts";

/** Names of the key fields of all datasets. */
const keyFields: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values(domainTable).flatMap(({ datasets }) =>
    datasets.map(({ name, keyField }) => [name, keyField]),
  ),
);

/** Lines by key, for each dataset. */
export type Copy = ReadonlyMap<string, ReadonlyMap<string, string>>;

export type FollowerOptions = {
  readonly ledger: {
    readonly manifest: (
      id: string,
    ) => Promise<{ readonly text: string; readonly sha256: string } | undefined>;
  };
  readonly parts: {
    readonly open: (part: {
      readonly sha256: string;
      readonly byteLength: number;
    }) => Promise<Pick<PartContent, "stream">>;
  };
};

/**
 * Applies the deliveries of a subscription (uncompressed JSON lines) to a copy. It throws where a consumer must refuse a delivery, and if a
 * delivery contains an unchanged line.
 */
export class Follower {
  readonly #options: FollowerOptions;
  readonly #copy = new Map<string, Map<string, string>>();
  #last: ChainLink | undefined;

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  get copy(): Copy {
    return this.#copy;
  }

  get last(): ChainLink | undefined {
    return this.#last;
  }

  async apply({ id }: Pick<Delivery, "id">): Promise<ChainLink> {
    const { ledger, parts } = this.#options;
    const sealed = await ledger.manifest(id);
    if (sealed === undefined) throw new Error(`${id} has no manifest`);
    const manifest = readManifest(Buffer.from(sealed.text));
    const link = { manifest, sha256: sealed.sha256 };
    if (this.#last !== undefined) requireFollows(this.#last, link);
    if (manifest.kind === "seed") this.#copy.clear();
    const met = new Set<string>();
    for (const part of manifest.parts) {
      const lines = (await text((await parts.open(part)).stream())).split("\n").slice(0, -1);
      if (lines.length !== part.rowCount + part.removalCount) throw new Error(`${part.name} is miscounted`);
      const own = this.#copy.get(part.dataset) ?? new Map<string, string>();
      this.#copy.set(part.dataset, own);
      for (const line of lines) {
        const key = this.#keyOf(part.dataset, line);
        if (met.has(`${part.dataset} ${key}`)) throw new Error(`${key} is twice in a delivery`);
        met.add(`${part.dataset} ${key}`);
        if (part.content === "rows") {
          if (own.get(key) === line) throw new Error(`${key} is delivered without a change`);
          own.set(key, line);
        } else if (!own.delete(key)) throw new Error(`${key} is removed and was never delivered`);
      }
    }
    this.#last = link;
    return link;
  }

  #keyOf(dataset: string, line: string): string {
    const record = JSON.parse(line) as Readonly<Record<string, string>>;
    const key = record[keyFields[dataset] ?? ""];
    if (key === undefined) throw new Error(`a line of ${dataset} has no key`);
    return key;
  }
}
