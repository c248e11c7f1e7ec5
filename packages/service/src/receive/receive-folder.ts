import { readDeliveries, type StoredDelivery, verifyFolder } from "@cadastre/client";
import type { Manifest } from "@cadastre/manifest";
import type { NotedStore } from "../data/notes.ts";
import { pendingDeliveries } from "./pending-deliveries.ts";
import { type Receipt, type ReceiptOptions, receiveDelivery } from "./receive-delivery.ts";
import { compareDomains } from "./received-datasets.ts";
import {
  lastReceived,
  type ReceivedStream,
  type ReceivedStreams,
  readCursors,
  readStreams,
  requireOneStream,
  requireUntouched,
  streamKey,
  writeStreams,
} from "./received-streams.ts";

export type FolderReceipt = Omit<ReceiptOptions, "before" | "store"> & {
  readonly store: ReceiptOptions["store"] & NotedStore;
  /** Keys by which manifests are verified, or `unsigned` if `follow` has verified them. */
  readonly keys: Parameters<typeof verifyFolder>[1]["keys"];
  /** True to begin with the last seed, whatever was received before. */
  readonly anew: boolean;
  /** True to take systems over from another stream of the domain. */
  readonly replaces: boolean;
  /** Called after each delivery. */
  readonly onReceived: (manifest: Manifest, receipt: Receipt) => void;
};

const newStream = (domain: string): ReceivedStream => ({
  last: null,
  systems: [],
  cursors: {},
  begun: null,
  domain,
});

/**
 * Ingests the deliveries of another Cadastre that are in a folder and were not received before: of each subscription the last seed and
 * what follows it. Remembers how far it is in the listings database. Returns the number of deliveries.
 *
 * @throws {IngestError} if a delivery is refused; those before it are received
 * @throws {ClientError | ManifestError} if one is damaged, or does not follow the one before
 */
export async function receiveFolder(path: string, options: FolderReceipt): Promise<number> {
  let received = 0;
  for (const [key, deliveries] of await streamsIn(path)) {
    const stream = (await readStreams(options.store))[key];
    const last = options.anew || stream === undefined ? undefined : lastReceived(stream);
    for (const delivery of pendingDeliveries(deliveries, last)) {
      await receiveNext(key, delivery, options);
      received++;
    }
  }
  return received;
}

/** Returns the deliveries in a folder by stream, in the order in which the streams are ingested. */
async function streamsIn(path: string): Promise<ReadonlyMap<string, readonly StoredDelivery[]>> {
  const deliveries = await readDeliveries(path);
  const sorted = deliveries.toSorted(({ manifest: a }, { manifest: b }) =>
    compareDomains(a.domain, b.domain),
  );
  const streams = new Map<string, StoredDelivery[]>();
  for (const delivery of sorted) {
    const key = streamKey(delivery.manifest);
    streams.set(key, [...(streams.get(key) ?? []), delivery]);
  }
  return streams;
}

async function receiveNext(key: string, delivery: StoredDelivery, options: FolderReceipt): Promise<void> {
  const { store, keys, taken, replaces } = options;
  const { manifest } = delivery;
  await verifyFolder(delivery.folder, { keys });
  const streams = await readStreams(store);
  const stream = streams[key] ?? newStream(manifest.domain);
  const ids = [...taken.values()];
  const named = manifest.datasets.flatMap(({ sources }) =>
    (sources ?? []).flatMap(({ originatingSystemName }) => taken.get(originatingSystemName) ?? []),
  );
  const systems = [...new Set([...stream.systems.filter((one) => ids.includes(one)), ...named])];
  const others = replaces ? withoutSystems(streams, key, manifest.domain, systems) : streams;
  requireOneStream(others, key, manifest, systems);
  // A run that was interrupted has left cursors of its own.
  if (manifest.kind === "delta" && stream.begun !== delivery.sha256)
    requireUntouched(stream.cursors, await readCursors(store, manifest, systems));
  await writeStreams(store, { ...others, [key]: { ...stream, systems, begun: delivery.sha256 } });
  const receipt = await receiveDelivery(delivery, { ...options, before: systems });
  await writeStreams(store, {
    ...others,
    [key]: {
      ...stream,
      last: { manifest: delivery.text, sha256: delivery.sha256 },
      systems,
      cursors: await readCursors(store, manifest, systems),
      begun: null,
    },
  });
  options.onReceived(manifest, receipt);
}

/** Takes systems from the other streams of a domain. */
const withoutSystems = (
  streams: ReceivedStreams,
  key: string,
  domain: string,
  taken: readonly string[],
): ReceivedStreams =>
  Object.fromEntries(
    Object.entries(streams).map(([other, stream]) => [
      other,
      other === key || stream.domain !== domain
        ? stream
        : { ...stream, systems: stream.systems.filter((system) => !taken.includes(system)) },
    ]),
  );
