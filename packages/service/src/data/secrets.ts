import { randomBytes } from "node:crypto";
import { z } from "zod";
import { parseDataFile } from "./data-error.ts";
import { type DataFolder, readOrCreate } from "./data-folder.ts";

const secret = z
  .string()
  .regex(/^[\w-]{43}$/)
  .transform((text): Uint8Array => Buffer.from(text, "base64url"));
const schema = z.strictObject({ pepper: secret, skipTokenKey: secret });

/** Secrets of 32 bytes that a running service needs. */
export type Secrets = z.output<typeof schema>;

const parseSecrets = (text: string): Secrets => schema.parse(JSON.parse(text));

/** The secrets of the folder, made at the first start. */
export async function readSecrets(folder: DataFolder): Promise<Secrets> {
  const make = async () => {
    const random = () => randomBytes(32).toString("base64url");
    return JSON.stringify({ pepper: random(), skipTokenKey: random() });
  };
  const text = await readOrCreate(folder.secrets, make);
  return parseDataFile(folder.secrets, text, parseSecrets);
}
