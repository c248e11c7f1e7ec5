import { z } from "zod";
import { conditionRefusal } from "../endpoint/condition-refusal.ts";
import { string } from "../endpoint/members.ts";

/** Members of a request that narrow an output profile. */
export const narrowingMembers = {
  filter: string.optional().meta({
    description:
      "Condition, as `$filter` of the records: only those that meet it are delivered, with what belongs to them",
    example: "StateOrProvince eq 'TX'",
  }),
  select: z.array(string).min(1).optional().meta({
    description: "Fields to deliver, of those of the profile. The key is always delivered",
  }),
};

/** Does what a request with a filter asks for. @throws {Refused} `invalid_filter` with the place of the fault */
export const withConditionRefusal = <T>(
  { filter }: { readonly filter?: string | undefined },
  work: () => Promise<T>,
): Promise<T> =>
  work().catch((error: unknown) => {
    throw conditionRefusal(error, filter);
  });
