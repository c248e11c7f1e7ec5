import { createHash } from "node:crypto";
import { DeliveryError, type PartStore } from "@cadastre/delivery";
import type { Registry } from "../../data/registry.ts";
import { openParts } from "../../delivery/dependencies.ts";
import { withServiceRegistry } from "../data.ts";
import { CommandRefused, printMessage, printResult } from "../outcome.ts";
import { counted } from "../progress.ts";
import { type ListFlags, requireObject } from "./list-options.ts";

/** A stored part, or the manifest (number 0), that does not match its hash. */
type DamagedPart = { readonly number: number; readonly sha256: string; readonly code: string };

/** `cadastre delivery check` */
export const checkStoredDelivery = (id: string, { json }: Pick<ListFlags, "json">) =>
  withServiceRegistry(async (registry, folder, config) => {
    const { delivery } = requireObject(await registry.operations.delivery(id), "delivery", id);
    const { manifestSha256 } = delivery;
    if (manifestSha256 === null)
      throw new CommandRefused(
        `the delivery ${id} is \`${delivery.state}\` and has no manifest yet: \`cadastre delivery show ${id}\` tells why`,
        { failureCode: "delivery_not_complete" },
      );
    const { parts } = await openParts(config, folder, registry);
    const { checked, damaged } = await damageOf(id, manifestSha256, { registry, parts });
    for (const { sha256 } of damaged) await registry.deliveries.damage.mark(sha256, Date.now());
    if (json) printResult(JSON.stringify({ id, checked, damaged }, null, 2));
    else for (const { number, code } of damaged) printMessage(`${nameOf(number)}: ${code}`);
    if (damaged.length > 0)
      throw new CommandRefused(
        `${damaged.length} of ${checked} stored objects of the delivery ${id} are damaged, and marked: a worker rebuilds them`,
        { failureCode: "part_damaged" },
      );
    if (!json)
      printMessage(
        `The manifest and ${counted(checked - 1, "part")} of the delivery ${id} match their hashes.`,
      );
  });

const nameOf = (number: number): string => (number === 0 ? "The manifest" : `Part ${number}`);

/** Reads all stored objects of a delivery. Returns their number, and those that do not match their hashes. */
async function damageOf(
  id: string,
  manifestSha256: string,
  { registry: { deliveries }, parts }: { readonly registry: Registry; readonly parts: PartStore },
): Promise<{ readonly checked: number; readonly damaged: readonly DamagedPart[] }> {
  const manifest = await deliveries.manifest(id);
  if (manifest === undefined)
    throw new CommandRefused(`the parts of the delivery ${id} are deleted, for its time is over`, {
      failureCode: "delivery_expired",
    });
  const damaged: DamagedPart[] = [];
  if (createHash("sha256").update(manifest.text).digest("hex") !== manifestSha256)
    damaged.push({ number: 0, sha256: manifestSha256, code: "part_damaged" });
  const listed = await deliveries.parts(id);
  for (const { number, sha256, byteLength } of listed) {
    const code = await faultOf(parts, { sha256, byteLength });
    if (code !== undefined) damaged.push({ number, sha256, code });
  }
  return { checked: listed.length + 1, damaged };
}

/** Returns the code of what is wrong with a stored part; undefined if it matches its hash. */
async function faultOf(
  parts: PartStore,
  digest: Parameters<PartStore["open"]>[0],
): Promise<string | undefined> {
  try {
    const { stream } = await parts.open(digest);
    // Reading to the end verifies length and hash.
    for await (const _ of stream());
    return undefined;
  } catch (error) {
    const isDamage =
      error instanceof DeliveryError && (error.code === "part_missing" || error.code === "part_damaged");
    if (isDamage) return error.code;
    throw error;
  }
}
