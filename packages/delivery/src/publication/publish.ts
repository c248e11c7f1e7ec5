import type { Destination } from "../destinations/destination.ts";
import type { OpenDestination } from "../destinations/destinations.ts";
import { DeliveryError } from "../errors.ts";
import type { ObjectFacts } from "../object-store/object-store.ts";
import { objectsInOrder, type PublishedObjects, type PublishedPart } from "./publication.ts";

/** Points at which tests kill a publisher: between two effects, where a successor must be able to continue. @internal */
export type PublicationPoint = `${"before_put" | "after_put" | "after_check"} ${string}`;

export type PublishOptions = {
  /** Called before each object. Throws if the publication may not go on; the error ends the publication. */
  readonly authorize: () => Promise<void>;
  /** Called before the last object is written. With that object the publication is complete for readers and can no longer be canceled. */
  readonly commit?: (() => Promise<void>) | undefined;
  /** True if `commit` has been called before. Then only the last object is missing, or it is there, encrypted with whatever key. */
  readonly isCommitted?: boolean | undefined;
  /** Called after each object that was written and checked. */
  readonly written?: (() => Promise<void>) | undefined;
  /** Called and awaited at each point. @internal */
  readonly at?: ((point: PublicationPoint) => void | Promise<void>) | undefined;
};

/** Number of objects that were written, and that were there already with the right content. */
export type PublicationReport = { readonly created: number; readonly found: number };

/**
 * Writes the objects of a delivery in order, `_COMPLETE` last. Never overwrites, and checks each object before it writes the next. Any
 * publisher can repeat it to continue with what is missing.
 *
 * @throws {DeliveryError} `destination_conflict`, and those of `ObjectStore`
 */
export async function publishObjects(
  to: OpenDestination,
  publication: PublishedObjects,
  options: PublishOptions,
): Promise<PublicationReport> {
  const { authorize, commit = async () => {}, isCommitted = false } = options;
  const { written = async () => {}, at = () => {} } = options;
  const report = { created: 0, found: 0 };
  const objects = objectsInOrder(publication);
  for (const object of isCommitted ? objects.slice(-1) : objects) {
    await authorize();
    const key = `${to.root}${object.name}`;
    const before = await to.bucket.head(key);
    if (before !== undefined) requireSame(before, object, isCommitted ? { kmsKeyArn: null } : to.destination);
    if (object === objects.at(-1)) await commit();
    await at(`before_put ${object.name}`);
    const outcome = before === undefined ? await to.bucket.put(key, object) : "exists";
    await at(`after_put ${object.name}`);
    if (before === undefined) requireSame(await to.bucket.head(key), object, to.destination);
    await at(`after_check ${object.name}`);
    if (outcome === "created") await written();
    report[outcome === "created" ? "created" : "found"]++;
  }
  return report;
}

/** @throws {DeliveryError} `bucket_denied` if the object is there but may not be looked at; `destination_conflict`, `kms_mismatch` */
function requireSame(
  found: ObjectFacts | undefined,
  { name, byteLength, sha256 }: PublishedPart,
  { kmsKeyArn }: Pick<Destination, "kmsKeyArn">,
): void {
  if (found === undefined) throw new DeliveryError("bucket_denied", `${name} may not be looked at`);
  if (found.byteLength !== byteLength || found.sha256 !== sha256)
    throw new DeliveryError("destination_conflict", name);
  if (kmsKeyArn !== null && found.kmsKeyArn !== kmsKeyArn) throw new DeliveryError("kms_mismatch", name);
}
