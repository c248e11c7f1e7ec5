import type { PublisherOptions } from "@cadastre/delivery";
import type { AuditTrail } from "../audit/audit-trail.ts";
import type { Log } from "../log.ts";

/**
 * Returns a callback that logs it if a bucket begins to deny that pointers are replaced, or allows it again. The denial is in the audit
 * trail too: from then on, who reads the bucket by the pointer reads an old delivery.
 *
 * @param name of the worker
 */
export const pointerLog =
  (log: Log, audit: AuditTrail, name: string): NonNullable<PublisherOptions["onPointer"]> =>
  ({ customer, destination, subscription, delivery, isDenied }) => {
    const about = { destination, subscription, delivery };
    if (!isDenied)
      return log.info(about, "the bucket of a destination allows again that a pointer is replaced");
    log.warn(
      about,
      "the bucket of a destination denies that the pointer of a subscription is replaced: leave it out of what its policy denies",
    );
    return audit.run(
      {
        action: "destination.deny_pointer",
        actor: { type: "worker", name },
        object: { id: destination, customer },
        requestId: null,
        address: null,
      },
      async () => {},
    );
  };
