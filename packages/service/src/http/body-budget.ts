import type { Request, Response } from "express";
import type { Config } from "../config.ts";
import { signalOfClose } from "./gone.ts";
import { MemoryBudget } from "./memory-budget.ts";
import { memoryLimitsOf } from "./memory-limits.ts";
import { callerOf } from "./request-context.ts";

/** Copies of a body that exist at the same time: its bytes, and its text. */
const copies = 2;

/** Requests of a customer that may wait: all of them are refused in one turn of the event loop if nothing is given back. */
const queue = 32;

/** Does `work` while memory for a body of `most` bytes at most is reserved. */
export type WithBody = <T>(req: Request, res: Response, most: number, work: () => Promise<T>) => Promise<T>;

/**
 * Admission control for requests with long bodies, apart from that of answers: a batch that holds its body waits for the memory of its answers.
 * A body that is sent slowly holds memory of its customer only.
 */
export function createBodyBudget(config: Pick<Config, "memory" | "readers" | "querySeconds">): WithBody {
  const { bodies } = memoryLimitsOf(config);
  const wait = config.querySeconds * 1000;
  const budget = new MemoryBudget({ answers: bodies, customer: bodies / 4, wait, queue });
  return async (req, res, most, work) => {
    const length = Math.min(most, Number(req.get("content-length") ?? most));
    const { customer } = callerOf(req).scope;
    const { release } = await budget.reserve(customer, copies * length, signalOfClose(res));
    try {
      return await work();
    } finally {
      release();
    }
  };
}
