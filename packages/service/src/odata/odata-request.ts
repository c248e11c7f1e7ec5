import type { Scope } from "@cadastre/entitlement";
import type { Stages } from "../http/stages.ts";
import type { Address } from "./address.ts";
import type { HeaderReader, OdataVersion } from "./protocol.ts";

/** A read under the OData root, free of HTTP: what a route needs to answer it. */
export type OdataRequest = {
  /** Absolute address of the service root, without a slash at the end. */
  readonly root: string;
  /** The query string as it came in, without the question mark. */
  readonly query: string;
  readonly version: OdataVersion;
  readonly header: HeaderReader;
  readonly scope: Scope;
  readonly stages: Stages;
  /** Gives a signal that aborts when the client is gone. */
  readonly gone: () => AbortSignal;
  /** Told what the address stands for as soon as it is read. */
  readonly onAddress: (kind: Address["kind"]) => void;
  /** Told the text of the query options as soon as they are decoded. */
  readonly onOptions: (texts: ReadonlyMap<string, string>) => void;
};
