import type { Scope } from "@cadastre/entitlement";
import type { HeaderReader, OdataVersion } from "../http/odata-protocol.ts";
import type { Stages } from "../telemetry/stages.ts";
import type { ResourcePath } from "./address.ts";

/** Read request under the OData root, independent of Express. */
export type OdataRequest = {
  /** Absolute URL of the service root, without a trailing slash. */
  readonly root: string;
  /** Undecoded query string, without the question mark. */
  readonly query: string;
  readonly version: OdataVersion;
  readonly header: HeaderReader;
  readonly scope: Scope;
  readonly stages: Stages;
  /** Returns a signal that aborts when the client disconnects. */
  readonly clientGone: () => AbortSignal;
  /** Called with the kind of the address as soon as it is parsed. */
  readonly onAddress: (kind: ResourcePath["kind"]) => void;
  /** Called with the texts of the query options as soon as they are decoded. */
  readonly onOptions: (texts: ReadonlyMap<string, string>) => void;
};
