import { type ChainLink, type Manifest, readManifest } from "@cadastre/manifest";
import { z } from "zod";
import { type NotedStore, readReceived, writeReceived } from "../data/notes.ts";
import type { Ingest } from "../ingest/ingest.ts";
import { IngestError } from "../ingest/ingest-error.ts";
import { receivedDatasets } from "./received-datasets.ts";

const streamForm = z.object({
  /** Canonical text of the manifest of the last delivery that was received, and its hash. Null before the first one. */
  last: z.object({ manifest: z.string(), sha256: z.string() }).nullable(),
  /** Ids of the systems whose records the stream has brought. */
  systems: z.array(z.string()),
  /** Cursors of its sources after the last delivery, by resource and system. Others stage records of them if they differ. */
  cursors: z.record(z.string(), z.string().nullable()),
  /** Hash of the manifest that a run has begun with, and may have left in between. */
  begun: z.string().nullable(),
  domain: z.string(),
});

/** State of a subscription, or of the one-off exports of a domain, whose deliveries are received. */
export type ReceivedStream = z.output<typeof streamForm>;

/** Streams by their keys, see {@link streamKey}. */
export type ReceivedStreams = Readonly<Record<string, ReceivedStream>>;

/** Key of a stream: its subscription. One-off exports of a domain are one stream of their customer, in which a later one replaces the former. */
export const streamKey = ({ subscriptionId, domain, customerId }: Manifest): string =>
  subscriptionId ?? `exports of ${domain} to ${customerId}`;

const streamsForm = z.record(z.string(), streamForm);

export async function readStreams(store: NotedStore): Promise<ReceivedStreams> {
  return streamsForm.parse(JSON.parse((await readReceived(store)) ?? "{}"));
}

export const writeStreams = (store: NotedStore, streams: ReceivedStreams): Promise<void> =>
  writeReceived(store, JSON.stringify(streams));

/** Returns the last delivery of a stream that was received. */
export const lastReceived = ({ last }: ReceivedStream): ChainLink | undefined =>
  last === null
    ? undefined
    : { manifest: readManifest(new TextEncoder().encode(last.manifest)), sha256: last.sha256 };

/** Reads the cursors of the sources of a stream. */
export async function readCursors(
  { builds }: Pick<Ingest["store"], "builds">,
  { domain }: Pick<Manifest, "domain">,
  systems: readonly string[],
): Promise<ReceivedStream["cursors"]> {
  const cursors: Record<string, string | null> = {};
  for (const { resource } of receivedDatasets(domain))
    for (const system of systems) cursors[`${resource} of ${system}`] = await builds.cursor(resource, system);
  return cursors;
}

/** @throws {IngestError} if records of the stream's sources were staged or rolled back since its last delivery */
export function requireUntouched(before: ReceivedStream["cursors"], now: ReceivedStream["cursors"]): void {
  const touched = Object.keys(before).filter(
    (name) => Object.hasOwn(now, name) && before[name] !== now[name],
  );
  if (touched.length > 0)
    throw new IngestError(
      `${touched.join(", ")}: records were staged by another ingest or feed since the last delivery was received, or a build was rolled back, so that a delta may not fit. To take everything anew from the last seed, add --anew`,
    );
}

/** @throws {IngestError} if another stream of the domain has brought records of one of the systems */
export function requireOneStream(
  streams: ReceivedStreams,
  key: string,
  { domain }: Manifest,
  systems: readonly string[],
): void {
  for (const [other, stream] of Object.entries(streams)) {
    const shared = stream.systems.filter((system) => systems.includes(system));
    if (other === key || stream.domain !== domain || shared.length === 0) continue;
    throw new IngestError(
      `${domain} of ${shared.join(", ")} is received from ${other} already, and each would delete what the other has: name the systems to take here with --systems, or give those to this one with --replace`,
    );
  }
}
