import { createHash } from "node:crypto";
import { join } from "node:path";
import type { SampleMarket } from "@cadastre/sample";
import { sampleCatalog } from "@cadastre/sample/catalog";
import type { WritableStore } from "@cadastre/store";
import { publishGated } from "../src/gates/publication.ts";
import { ingest } from "../src/ingest/ingest.ts";
import type { Input } from "../src/ingest/input.ts";
import { noRejectLimit } from "../src/ingest/reject-limit.ts";
import { roundingOf } from "../src/ingest/rounding.ts";
import { sourcesOf } from "../src/ingest/sources.ts";

/** Returns a function that ingests and publishes the same listings of one system, each time with other prices. */
export function priceChanges(
  store: WritableStore,
  market: SampleMarket,
  count: number,
  folder: string,
): () => Promise<void> {
  const listings: object[] = [];
  const [first] = market.listingsWithMedia();
  for (const { datasetId, property } of market.listingsWithMedia()) {
    if (listings.length === count) break;
    if (datasetId === first?.datasetId) listings.push(property);
  }
  const source = sourcesOf(sampleCatalog).find(({ datasetId }) => datasetId === first?.datasetId);
  if (source === undefined) throw new RangeError("the sample has no system");
  let price = 100_000;
  return async () => {
    price++;
    const lines = listings.map((property) => JSON.stringify({ ...property, ListPrice: price }));
    const { staged, reasons } = await ingest({
      store: Object.assign(store, { catalog: sampleCatalog }),
      resource: "Property",
      source,
      crosswalk: { assigned: async () => new Map() },
      input: inputOf(lines.join("\n")),
      format: "jsonl",
      mode: "changes",
      rounding: roundingOf(sampleCatalog, "Property", {}),
      rejects: join(folder, "rejects.jsonl"),
      rejectLimit: noRejectLimit,
      maxShrink: 100,
      onProgress: () => {},
    });
    if (staged !== listings.length) throw new RangeError(`${staged} were staged: ${JSON.stringify(reasons)}`);
    const { builds, results } = await publishGated(Object.assign(store, { catalog: sampleCatalog }), [
      "Property",
    ]);
    if (builds.length === 0)
      throw new RangeError(`not published: ${JSON.stringify([...results]).slice(0, 500)}`);
  };
}

function inputOf(text: string): Input {
  const bytes = Buffer.from(text);
  const read = async function* () {
    yield bytes;
  };
  return {
    name: "changes",
    bytes: bytes.length,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    parts: [{ name: "changes", start: text.slice(0, 100), read }],
  };
}
