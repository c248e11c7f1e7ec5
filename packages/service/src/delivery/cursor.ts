import { createHmac, timingSafeEqual } from "node:crypto";
import type { ListPosition } from "@cadastre/delivery";
import { z } from "zod";
import { Refused } from "../errors.ts";

const position = z.tuple([z.int(), z.string()]);

const sealOf = (content: string, customer: string, key: Uint8Array): Buffer =>
  createHmac("sha256", key)
    .update(JSON.stringify(["file-exports", customer, content]))
    .digest();

/** Returns a cursor for a position in a customer's list. It is authenticated, and only valid for that customer. */
export function writeCursor({ completed, id }: ListPosition, customer: string, key: Uint8Array): string {
  const content = Buffer.from(JSON.stringify([completed, id])).toString("base64url");
  return `${content}.${sealOf(content, customer, key).toString("base64url")}`;
}

/** @throws {Refused} `invalid_cursor` */
export function readListCursor(text: string, customer: string, key: Uint8Array): ListPosition {
  const [, content = "", seal = ""] = /^([\w-]{1,256})\.([\w-]{43})$/.exec(text) ?? [];
  const given = Buffer.from(seal, "base64url");
  const wanted = sealOf(content, customer, key);
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) throw new Refused("invalid_cursor");
  const [completed, id] = position.parse(JSON.parse(Buffer.from(content, "base64url").toString()));
  return { completed, id };
}
