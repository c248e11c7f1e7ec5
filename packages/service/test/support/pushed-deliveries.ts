import { setTimeout } from "node:timers/promises";
import type { Customer } from "@cadastre/delivery/testing";
import { type customerOf, dataOf, exportsRoot } from "./deliveries.ts";

export type Delivery = {
  readonly id: string;
  readonly status: string;
  readonly sequence: number;
  readonly failure: { readonly code: string } | null;
  readonly publication: { readonly status: string; readonly prefix: string } | null;
};

/** Returns functions that read a customer's pushed deliveries: as reported by the service, and as stored in the bucket. */
export function pushedDeliveriesOf(national: ReturnType<typeof customerOf>, owner: Customer) {
  const find = async (id: string): Promise<Delivery> => dataOf(await national.get(`${exportsRoot}/${id}`));
  /** Waits until a delivery is complete, failed or canceled. */
  const settled = async (id: string): Promise<Delivery> => {
    for (;;) {
      const seen = await find(id);
      if (["complete", "failed", "canceled"].includes(seen.status)) return seen;
      await setTimeout(50);
    }
  };
  /** Lists the objects in a delivery's prefix. */
  const look = ({ publication }: Delivery) => owner.look(publication?.prefix ?? "?");
  const namesAt = async (delivery: Delivery): Promise<readonly string[]> =>
    (await look(delivery)).map(({ key }) => key);
  const read = async ({ publication }: Delivery, name: string): Promise<string> =>
    Buffer.from(await owner.read(`${publication?.prefix ?? "?"}${name}`)).toString();
  /** Returns the names of all objects that should be in the bucket, according to the manifest there. */
  const wantedOf = async (delivery: Delivery): Promise<readonly string[]> => {
    const manifest = JSON.parse(await read(delivery, "manifest.json")) as {
      readonly parts: readonly { readonly name: string }[];
      readonly documents: readonly { readonly name: string }[];
    };
    const files = [...manifest.parts, ...manifest.documents].map(({ name }) => name);
    return [...files, "_COMPLETE", "manifest.json", "manifest.jws.json"].toSorted();
  };
  return { find, settled, look, namesAt, wantedOf, read };
}
