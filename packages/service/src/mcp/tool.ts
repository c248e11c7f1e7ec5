import { type Channel, requireChannel, type Scope } from "@cadastre/entitlement";
import type { AnswerSettings } from "@cadastre/server/parts";
import { z } from "zod";
import { toSchema } from "../endpoint/endpoint.ts";
import { Refused } from "../errors.ts";
import type { Schema } from "../http/operation.ts";
import type { OdataServices } from "../odata/services.ts";
import type { Stages } from "../telemetry/stages.ts";
import type { V1Services } from "../v1/services.ts";

/** Services that the tools read with: those of the routes that answer the same questions. */
export type ToolServices = OdataServices & V1Services;

/** A call of a tool by an authenticated caller. */
export type ToolCall = {
  readonly scope: Scope;
  readonly keyId: string;
  readonly services: ToolServices;
  readonly settings: AnswerSettings;
  readonly stages: Stages;
  readonly clientGone: () => AbortSignal;
  /** Called with the texts of query options, so that an error can quote the faulty place. */
  readonly onOptions: (texts: ReadonlyMap<string, string>) => void;
};

/** A tool that language models may call. */
export type Tool = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Schema;
  /** Returns the text of the result, which is JSON. */
  readonly run: (given: unknown, call: ToolCall) => Promise<string>;
};

/**
 * Defines a tool.
 *
 * @param channel channel that the caller's entitlement must grant
 */
export function defineTool<Shape extends z.core.$ZodLooseShape>({
  name,
  description,
  channel,
  input,
  run,
}: {
  readonly name: string;
  readonly description: string;
  readonly channel: Channel;
  readonly input: Shape;
  readonly run: (given: z.output<z.ZodObject<Shape>>, call: ToolCall) => Promise<string>;
}): Tool {
  const schema = z.strictObject(input);
  return {
    name,
    description,
    inputSchema: toSchema(schema, "input"),
    run: async (given, call) => {
      requireChannel(call.scope, channel);
      const read = schema.safeParse(given);
      if (read.success) return run(read.data as z.output<z.ZodObject<Shape>>, call);
      const [fault] = read.error.issues;
      throw new Refused("invalid_request", {
        target: fault?.path.join("."),
        reason: fault?.message.slice(0, 160),
        allowed: Object.keys(schema.shape),
      });
    },
  };
}
