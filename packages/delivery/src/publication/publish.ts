import type { Destination } from "../destinations/destination.ts";
import type { OpenDestination } from "../destinations/destinations.ts";
import { DeliveryError } from "../errors.ts";
import type { ObjectFacts } from "../object-store/object-store.ts";
import { objectsOf, type Publication, type PublishedPart } from "./publication.ts";

/** Where tests have a publisher die: each place between two effects that a successor has to cope with. */
export type PublicationPoint = `${"before_put" | "after_put" | "after_check"} ${string}`;

export type PublishOptions = {
  /**
   * Asked before each object: whether the publication may go on, by what is so now. What it throws ends the publication.
   */
  readonly authorize: () => Promise<void>;
  /** Told before the last object is written: whoever has it finds a publication that is whole, so it cannot be given up any more. */
  readonly commit?: (() => Promise<void>) | undefined;
  /** Whether that was told before: the last object alone is missing, or is there whatever key it is encrypted with. */
  readonly isCommitted?: boolean | undefined;
  /** Told of each object once it is written and looked at. */
  readonly written?: (() => Promise<void>) | undefined;
  readonly at?: ((point: PublicationPoint) => void | Promise<void>) | undefined;
};

/** How many objects were written, and how many were there as they must be. */
export type PublicationReport = { readonly created: number; readonly found: number };

/**
 * Write the objects of a delivery, each where there is none, and look at each one before the next. `_COMPLETE` comes last. Done
 * again, by whomever, it goes on with what is missing; nothing that is there is written again.
 *
 * @throws {DeliveryError} `destination_conflict`, and as `ObjectStore` does
 */
export async function publish(
  to: OpenDestination,
  publication: Publication,
  options: PublishOptions,
): Promise<PublicationReport> {
  const { authorize, commit = async () => {}, isCommitted = false } = options;
  const { written = async () => {}, at = () => {} } = options;
  const report = { created: 0, found: 0 };
  const objects = objectsOf(publication);
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

/** @throws {DeliveryError} `bucket_denied`: it is there and may not be looked at; `destination_conflict`, `kms_mismatch` */
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
