import { type ApiKeyRecord, isInForce, maxLiveKeys, type Registry } from "@cadastre/store/registry";
import { issueApiKey } from "../access/issue-key.ts";
import { digestApiKey, type Peppers } from "../access/pepper.ts";

/** Where the demo's keys are kept, and how. */
export type KeyKeeping = Pick<Registry, "keys"> & { readonly peppers: Peppers };

/**
 * A key of a demo customer that is in force at `at`, in milliseconds since 1970: the one of an earlier start, else a new
 * one. If there is no room for it the customer's oldest key ends.
 */
export async function demoKey(
  customer: string,
  known: string | undefined,
  { keys, peppers }: KeyKeeping,
  at: number,
): Promise<string> {
  if (known !== undefined) {
    const record = await keys.find(peppers.map((pepper) => digestApiKey(known, pepper).digest));
    if (record?.customer === customer && isInForce(record, at)) return known;
  }
  const live = (await keys.list(customer)).filter((record) => isInForce(record, at));
  const [oldest]: readonly ApiKeyRecord[] = live;
  if (live.length >= maxLiveKeys && oldest !== undefined) await keys.revoke(oldest.id, at);
  const { apiKey, kept } = issueApiKey(peppers, null);
  await keys.add({ customer, ...kept }, at);
  return apiKey;
}
