import { minute, splitInstant } from "../model/temporal.ts";
import type { Instant } from "../model/types.ts";
import { type SqlFragment, sql } from "../sql/fragment.ts";

/**
 * Date and time on the clock that the instant was written with.
 * Source: OData 4.01 URL Conventions, section 5.1.1.8.
 */
export const local = ({ picoseconds, offset }: Instant): ReturnType<typeof splitInstant> =>
  splitInstant(picoseconds + BigInt(offset) * minute);

/**
 * A PostgreSQL instant as date and time in UTC. It depends on no setting of the session, so that an index can
 * hold what is computed from it.
 */
export const utc = (instant: SqlFragment): SqlFragment => sql`(${instant} at time zone 'UTC')`;
