import { isInForce } from "@cadastre/store/registry";
import { type IssuedKey, issueApiKey } from "../access/issue-key.ts";
import { isWellFormed } from "../access/key-text.ts";
import { digestApiKey, type Peppers } from "../access/pepper.ts";
import type { Registry } from "../data/registry.ts";

/** Where the demo's keys are kept, and how. */
export type KeyKeeping = Pick<Registry, "keys"> & { readonly peppers: Peppers };

/** A demo customer's key. */
export type DemoKeyPlan = {
  readonly apiKey: string;
  /** The key to add to the registry; undefined if it has the key. */
  readonly add: IssuedKey["kept"] | undefined;
};

/**
 * Finds or creates the key of a demo customer. A customer that has keys in force gets no other one: if none of them is known, they are lost,
 * or the operator's own.
 *
 * @param known text of the key in `demo.json`
 * @param at milliseconds since 1970
 * @returns undefined if the customer's key is lost
 */
export async function planDemoKey(
  customer: string,
  known: string | undefined,
  { keys, peppers }: KeyKeeping,
  at: number,
): Promise<DemoKeyPlan | undefined> {
  const record = known && (await keys.find(peppers.map((pepper) => digestApiKey(known, pepper).digest)));
  if (known && record && record.customer === customer && isInForce(record, at))
    return { apiKey: known, add: undefined };
  if ((await keys.list(customer)).some((one) => isInForce(one, at))) return undefined;
  // A start was killed after it had written the key to the file, and before it had added it to the registry.
  const isUnused = known !== undefined && !record && isWellFormed(known);
  const { apiKey, kept } = issueApiKey(peppers, null, isUnused ? known : undefined);
  return { apiKey, add: kept };
}
