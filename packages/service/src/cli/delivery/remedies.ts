import { type Delivery, type DeliveryErrorCode, deliveryErrors } from "@cadastre/delivery";

type Concerned = Pick<Delivery, "id" | "customer" | "destination" | "subscription">;

/** Returns the command that has a delivery, or the next one of its subscription, made again. */
const again = ({ id, subscription }: Concerned): string =>
  subscription === null
    ? `\`cadastre delivery retry ${id}\``
    : `\`cadastre subscription resume ${subscription}\``;

const readLog = (delivery: Concerned): string =>
  `read the log of the workers for \`${delivery.id}\`, mend what it says, and ${again(delivery)}`;

/** A delivery of a subscription is followed by another one without anybody's help once the destination is active. */
const mendDestination = (delivery: Concerned): string =>
  delivery.subscription === null
    ? `have the customer correct its role and bucket, \`cadastre destination check ${delivery.destination}\`, then ${again(delivery)}`
    : `have the customer correct its role and bucket, then \`cadastre destination check ${delivery.destination}\`: the subscription goes on once the destination is active`;

const mendEntitlement = ({ customer, subscription }: Concerned): string =>
  `\`cadastre customer show ${customer}\`; if it should be granted, \`cadastre customer change ${customer} --edit <document>\`${
    subscription === null
      ? ", and the customer asks for another delivery"
      : ": the subscription goes on by itself"
  }`;

const askAnew = ({ subscription }: Concerned): string =>
  subscription === null
    ? "nothing can be done for this one: the customer asks for another delivery"
    : "nothing need be done: the subscription begins a new generation by itself";

/** Remedies of an operator for a failure of a delivery, by its code. */
const remedies: Readonly<Partial<Record<DeliveryErrorCode, (delivery: Concerned) => string>>> = {
  entitlement_changed: mendEntitlement,
  entitlement_expired: mendEntitlement,
  entitlement_denied: mendEntitlement,
  capability_required: mendEntitlement,
  destination_denied: mendDestination,
  destination_not_active: mendDestination,
  destination_degraded: mendDestination,
  destination_conflict: (delivery) =>
    `have the customer remove the other object from its bucket, then ${again(delivery)}`,
  external_id_unreadable: ({ destination }) =>
    `\`cadastre doctor\`, or have the customer rotate the destination ${destination}`,
  bucket_unavailable: (delivery) =>
    `see that the bucket can be reached from the workers, then ${again(delivery)}`,
  parts_full: (delivery) => `free space where parts are stored, then ${again(delivery)}`,
  parts_not_writable: (delivery) => `\`cadastre doctor\`, then ${again(delivery)}`,
  parts_unavailable: (delivery) => `\`cadastre doctor\`, then ${again(delivery)}`,
  checkpoint_expired: askAnew,
  schema_changed: askAnew,
  profile_changed: askAnew,
  basis_changed: askAnew,
  filter_outdated: ({ customer }) =>
    `\`cadastre customer show ${customer}\`; if the field should be seen, grant it: else the customer asks anew with another filter`,
  delivery_expired: askAnew,
  part_lost: askAnew,
  subscription_reset: askAnew,
  canceled_by_customer: askAnew,
  canceled_by_operator: askAnew,
};

const isCode = (code: string): code is DeliveryErrorCode => Object.hasOwn(deliveryErrors, code);

/** Returns a code with its meaning. */
export const codeText = (code: string): string =>
  isCode(code) ? `${code}: ${deliveryErrors[code].message}` : code;

/** Returns what an operator does about a failure: commands in backquotes. */
export const remedyOf = (code: string, delivery: Concerned): string =>
  ((isCode(code) ? remedies[code] : undefined) ?? readLog)(delivery);
