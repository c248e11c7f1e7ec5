import { z } from "zod";
import { ClientError } from "../errors.ts";

const envelope = z.object({ data: z.unknown() });

/** The `data` of an answer, of the shape that the contract gives it; members that are not asked for may be there. */
export function dataOf<Data extends z.ZodType>(
  answer: unknown,
  shape: Data,
  request: string,
): z.output<Data> {
  const result = shape.safeParse(envelope.safeParse(answer).data?.data);
  if (!result.success) throw new ClientError("answer_malformed", { request });
  return result.data;
}
