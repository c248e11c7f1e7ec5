import { Command } from "commander";
import { toInstant } from "../../delivery/delivery-view.ts";
import { withServiceRegistry } from "../data.ts";
import { readable } from "../times.ts";
import { type ListFlags, printListing, withListOptions } from "./list-options.ts";

type Flags = ListFlags & { readonly delivery?: string };

/** `cadastre acknowledgement` */
export const acknowledgementCommand = (): Command =>
  new Command("acknowledgement")
    .description("See what customers have said that they have loaded.")
    .addCommand(
      withListOptions(
        new Command("list").description(
          "List acknowledgements with every reference that the customer gave, the last one first.",
        ),
      )
        .option("--delivery <delivery>", "of this delivery alone")
        .action(listAcknowledgements),
    );

const listAcknowledgements = (flags: Flags) =>
  withServiceRegistry(async ({ operations }) => {
    const { customer, delivery, limit } = flags;
    const found = await operations.acknowledgements({ customer, delivery, limit });
    printListing(
      {
        heads: ["DELIVERY", "CUSTOMER", "PLACE", "ACKNOWLEDGED", "REFERENCE"],
        rows: found.flatMap((one) =>
          one.references.map(({ reference, at }) => [
            one.delivery,
            one.customer,
            `${one.generation}.${one.sequence}`,
            readable(at),
            reference,
          ]),
        ),
        objects: found.map((one) => ({
          customer: one.customer,
          delivery_id: one.delivery,
          subscription_id: one.subscription,
          generation: one.generation,
          sequence: one.sequence,
          manifest_sha256: one.manifestSha256,
          acknowledged_at: toInstant(one.at),
          references: one.references.map(({ reference, at }) => ({
            customer_reference: reference,
            acknowledged_at: toInstant(at),
          })),
        })),
        none: "No such acknowledgements.",
      },
      flags,
    );
  });
