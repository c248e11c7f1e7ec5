import { isInForce } from "@cadastre/store/registry";
import { type IssuedKey, issueApiKey } from "../access/issue-key.ts";
import { isWellFormed } from "../access/key-text.ts";
import { digestApiKey, type Peppers } from "../data/pepper.ts";
import type { Registry } from "../data/registry.ts";

/** Registry of the demo's keys, and the peppers for their digests. */
export type KeyKeeping = Pick<Registry, "keys"> & { readonly peppers: Peppers };

/** A demo customer's key. */
export type DemoKeyPlan = {
  readonly apiKey: string;
  /** Record to add to the registry. Undefined if the registry already has the key. */
  readonly add: IssuedKey["kept"] | undefined;
};

/**
 * Finds or creates the key of a demo customer. A customer with keys in force does not get another one: if the text of none is known, they
 * were lost, or the operator has created them.
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
  // An earlier start was killed between writing the key to the file and adding it to the registry.
  const isUnused = known !== undefined && !record && isWellFormed(known);
  const { apiKey, kept } = issueApiKey(peppers, null, isUnused ? known : undefined);
  return { apiKey, add: kept };
}
