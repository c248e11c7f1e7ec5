import { type RecordName, recordNames } from "@cadastre/reso";
import type { FeedRecord } from "@cadastre/store/registry";
import { z } from "zod";
import { deletionChoices, deletionSources } from "../replicate/deletion-choice.ts";
import { pagings } from "../replicate/pages.ts";

/** Kinds of feeds: another RESO Web API, files of a folder, and a Common Format document at an address. */
const feedKinds = ["replicate", "files", "common-format"] as const;

const secret = z.union([z.strictObject({ file: z.string() }), z.strictObject({ env: z.string() })]);

const credentials = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("bearer"), secret }),
  z.strictObject({ kind: z.literal("header"), name: z.string(), secret }),
  z.strictObject({
    kind: z.literal("oauth2"),
    tokenUrl: z.string(),
    clientId: z.string(),
    secret,
    scope: z.string().optional(),
  }),
]);

const definitionForm = z.strictObject({
  kind: z.enum(feedKinds),
  /** URL, or the path of files with wildcards in the name. `{resource}` stands for the name of each resource. */
  location: z.string(),
  source: z.string(),
  resources: z.array(z.enum(recordNames as readonly [RecordName, ...RecordName[]])).min(1),
  /** Milliseconds between the starts of two runs. */
  every: z.number(),
  credentials: credentials.optional(),
  /** Text of the mapping file, and its name for messages. */
  mapping: z.strictObject({ file: z.string(), text: z.string() }).optional(),
  paging: z.enum(pagings).optional(),
  filter: z.string().optional(),
  select: z.string().optional(),
  /** Milliseconds between two comparisons of all keys. */
  fullEvery: z.number().optional(),
  /**
   * How what a Web API has deleted is found. `auto`: as it is found to tell of it. Undefined, and if it does not: only a comparison of all
   * keys when it is due.
   */
  deletions: z.enum(deletionChoices).exclude(["none"]).optional(),
  /** True if each file or document holds all records of the source. */
  full: z.boolean().optional(),
  maxRejects: z.number().optional(),
});

/** Definition of a feed. It refers to secrets, and holds none. */
export type FeedDefinition = z.output<typeof definitionForm>;

/** Returns the definition of a feed. */
export const definitionOf = ({ definition }: Pick<FeedRecord, "definition">): FeedDefinition =>
  definitionForm.parse(JSON.parse(definition));

/** Returns a feed of a Web API whose next run compares all keys, as if a comparison were due. */
export function comparingKeys(feed: FeedRecord): FeedRecord {
  const { fullEvery = 0, ...definition } = definitionOf(feed);
  return {
    ...feed,
    definition: JSON.stringify({ ...definition, fullEvery }),
    progress: JSON.stringify({ ...progressOf(feed), full: {} }),
  };
}

const progressForm = z.object({
  /** Resources with staged records that a run may have left unpublished. */
  pending: z.array(z.string()).default([]),
  /** Files that were read, by resource and path, with their size and time of change. */
  files: z.record(z.string(), z.string()).default({}),
  /** Time of the last comparison of all keys, by resource. */
  full: z.record(z.string(), z.number()).default({}),
  /** Position in what the source tells of deletions and how it tells of them, by resource, and the hash of the feed that it belongs to. */
  deletions: z
    .record(
      z.string(),
      z.object({ feed: z.string(), position: z.string(), from: z.enum(deletionSources).optional() }),
    )
    .default({}),
  /** Records of a Web API with the latest `ModificationTimestamp`, by resource. */
  latest: z.record(z.string(), z.object({ modified: z.number(), hashes: z.array(z.string()) })).default({}),
});

/** Progress of a feed within its source. */
export type FeedProgress = z.output<typeof progressForm>;

export const progressOf = ({ progress }: Pick<FeedRecord, "progress">): FeedProgress =>
  progressForm.parse(JSON.parse(progress ?? "{}"));
