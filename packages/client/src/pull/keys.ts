import { readFile } from "node:fs/promises";
import { ManifestError, readKeySet } from "@cadastre/manifest";
import type { JSONWebKeySet } from "jose";
import { ClientError } from "../errors.ts";
import { askJson } from "../http/ask.ts";
import type { Connection } from "../http/connection.ts";

/** The keys of a JWKS file: those that were handed over by a way of their own, and prove who signed. */
export async function readKeyFile(file: string): Promise<JSONWebKeySet> {
  const text = await readFile(file, "utf8").catch((cause: NodeJS.ErrnoException) => {
    throw new ClientError("file_unreadable", { file, code: cause.code ?? "" });
  });
  try {
    const keys = readKeySet(JSON.parse(text));
    if (keys.keys.length > 0) return keys;
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof ManifestError)) throw error;
  }
  throw new ClientError("keys_invalid", { file });
}

/** The keys that a server publishes: they prove that a delivery is as it was when the server signed it. */
export const fetchKeys = async (connection: Connection): Promise<JSONWebKeySet> =>
  readKeySet(await askJson(connection, { path: "/.well-known/jwks.json" }, "the key set"));
