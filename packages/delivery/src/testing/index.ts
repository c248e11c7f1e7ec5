/**
 * Supports tests of code that writes, sends or reads deliveries: object storage on loopback, a customer with a bucket,
 * a receiver of webhooks, and readers of parts. Inside the workspace only: it is left out of the published package.
 *
 * @module
 */
export { profileOf } from "../profiles/profile.ts";
export { askDuckDb } from "./duckdb.ts";
export { type Copy, Follower } from "./follower.ts";
export { readByHyparquet } from "./hyparquet.ts";
export { type Customer, makeCustomer } from "./object-storage/customer.ts";
export { startFakeObjectServer } from "./object-storage/fake/server.ts";
export { policyOf } from "./object-storage/onboarding.ts";
export { pushedObjects } from "./object-storage/pushed.ts";
export { radosgwStart, startRadosgw } from "./object-storage/radosgw.ts";
export {
  bucketRegion,
  customerAccount,
  kmsKeyArns,
  type ObjectServer,
  servicePrincipal,
} from "./object-storage/server.ts";
export { answerWith, type Receiver, startReceiver } from "./receiver.ts";
