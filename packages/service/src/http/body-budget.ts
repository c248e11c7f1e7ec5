import type { Request, Response } from "express";
import type { Config } from "../config.ts";
import { abortOnClientClose } from "./connection.ts";
import { MemoryBudget } from "./memory-budget.ts";
import { memoryLimitsOf } from "./memory-limits.ts";
import { callerOf } from "./request-context.ts";

/** Number of copies of a body that exist at the same time: its bytes and its text. */
const copies = 2;

/** Most requests of one customer that may wait. If no memory is released, all of them are refused in the same turn of the event loop. */
const queue = 32;

/** Runs `work` while memory for a body of at most `most` bytes is reserved. */
export type WithBody = <T>(req: Request, res: Response, most: number, work: () => Promise<T>) => Promise<T>;

/**
 * Admission control for requests with long bodies. Its budget is separate from that of answers, because a batch waits for the memory of
 * its answers while it holds the memory of its body. A body that is sent slowly holds only memory of its own customer.
 */
export function createBodyBudget(config: Pick<Config, "memory" | "readers" | "querySeconds">): WithBody {
  const { bodies } = memoryLimitsOf(config);
  const wait = config.querySeconds * 1000;
  const budget = new MemoryBudget({ answers: bodies, customer: bodies / 4, wait, queue });
  return async (req, res, most, work) => {
    const length = Math.min(most, Number(req.get("content-length") ?? most));
    const { customer } = callerOf(req).scope;
    const { release } = await budget.reserve(customer, copies * length, abortOnClientClose(res));
    try {
      return await work();
    } finally {
      release();
    }
  };
}
