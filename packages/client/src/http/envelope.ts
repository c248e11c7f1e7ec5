import { z } from "zod";
import { ClientError } from "../errors.ts";

const envelope = z.object({ data: z.unknown() });

/** Returns the `data` of an answer, validated by `shape`. @throws {ClientError} `answer_malformed` */
export function dataOf<Data extends z.ZodType>(
  answer: unknown,
  shape: Data,
  request: string,
): z.output<Data> {
  const result = shape.safeParse(envelope.safeParse(answer).data?.data);
  if (!result.success) throw new ClientError("answer_malformed", { request });
  return result.data;
}
