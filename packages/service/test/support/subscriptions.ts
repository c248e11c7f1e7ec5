import { setTimeout } from "node:timers/promises";
import { expect } from "vitest";
import { type customerOf, dataOf } from "./deliveries.ts";
import type { Delivery, pushedDeliveriesOf } from "./pushed-deliveries.ts";

export const subscriptionsRoot = "/v1/file-export-subscriptions";

type Subscription = Pick<Delivery, "id" | "status" | "failure">;

/** Makes the next delivery of a subscription due at once, by pausing and resuming it. */
export async function hurry({ post }: ReturnType<typeof customerOf>, id: string): Promise<void> {
  for (const step of ["pause", "resume"])
    expect((await post(`${subscriptionsRoot}/${id}/${step}`, {})).status).toBe(200);
}

type Place = { readonly generation: number; readonly sequence: number };

/** Waits until the last delivery of a subscription has this place, in any generation if none is named, and is complete. */
export async function completeAt<Listed extends Place & { readonly status: string }>(
  { get }: Pick<ReturnType<typeof customerOf>, "get">,
  id: string,
  { sequence, generation }: Pick<Place, "sequence"> & Partial<Place>,
): Promise<Listed> {
  for (;;) {
    const [last] = dataOf<Listed[]>(await get(`${subscriptionsRoot}/${id}/deliveries?limit=1`));
    const isThere = last?.sequence === sequence && (generation ?? last.generation) === last.generation;
    if (isThere && last.status === "complete") return last;
    expect(["queued", "building", "complete", undefined]).toContain(last?.status);
    await setTimeout(50);
  }
}

/** Returns operations on the subscriptions of a customer whose deliveries are pushed. */
export function subscriptionsOf(
  national: ReturnType<typeof customerOf>,
  { settled }: ReturnType<typeof pushedDeliveriesOf>,
) {
  const created = async (destinationId: string, deliveryMode: "push" | "both"): Promise<string> => {
    const what = { name: deliveryMode, domain: "listing", cadenceSeconds: 86_400 };
    const reply = await national.post(subscriptionsRoot, { ...what, deliveryMode, destinationId });
    expect([reply.status, reply.text]).toEqual([201, expect.any(String)]);
    return dataOf<Subscription>(reply).id;
  };
  const find = async (id: string): Promise<Subscription> =>
    dataOf(await national.get(`${subscriptionsRoot}/${id}`));
  /** Waits until a subscription has a settled delivery with this sequence number, other than the delivery `not`. */
  const delivered = async (id: string, sequence: number, not?: string): Promise<Delivery> => {
    for (;;) {
      const [last] = dataOf<Delivery[]>(await national.get(`${subscriptionsRoot}/${id}/deliveries?limit=1`));
      if (last?.sequence === sequence && last.id !== not) return settled(last.id);
      await setTimeout(50);
    }
  };
  return { created, find, delivered, hurry: (id: string) => hurry(national, id) };
}
