import { readFile } from "node:fs/promises";
import { ManifestError, readKeySet } from "@cadastre/manifest";
import type { JSONWebKeySet } from "jose";
import { ClientError } from "../errors.ts";
import type { Connection } from "../http/connection.ts";
import { askJson } from "../http/request.ts";

/** Reads the keys of a JWKS file. Keys that were received through a separate channel prove who signed. */
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

/** Fetches the keys that a server publishes. They prove only that a delivery has not changed since the server signed it. */
export const fetchKeys = async (connection: Connection): Promise<JSONWebKeySet> =>
  readKeySet(await askJson(connection, { path: "/.well-known/jwks.json" }, "the key set"));
