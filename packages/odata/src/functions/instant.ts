import { picosecondsPerMinute, splitInstant } from "../model/temporal.ts";
import type { Instant } from "../model/types.ts";

/**
 * Splits an instant into the local date and time at the offset it was written with. Source: OData 4.01 URL
 * Conventions, section 5.1.1.8.
 */
export const local = ({ picoseconds, offset }: Instant): ReturnType<typeof splitInstant> =>
  splitInstant(picoseconds + BigInt(offset) * picosecondsPerMinute);
