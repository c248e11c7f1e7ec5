import type { ResourcePath } from "./resource-address.ts";
import type { HeaderReader, OdataVersion } from "./version.ts";

/** Stages of an answer that are timed. The source times those of a read itself. */
export type AnswerStage = "parse" | "bind" | "render";

/** Times the stages of an answer, for a host that wants to know. */
export type StageTimer = {
  readonly time: <T>(stage: AnswerStage, work: () => T) => T;
};

/** Read request below the service root, independent of any framework. */
export type OdataRequest = {
  /** Absolute URL of the service root, without a trailing slash. */
  readonly root: string;
  /** Undecoded query string, without the question mark. */
  readonly query: string;
  readonly version: OdataVersion;
  readonly header: HeaderReader;
  readonly stages: StageTimer;
  /** Returns a signal that aborts when the client disconnects. */
  readonly clientGone: () => AbortSignal;
  /** Called with the kind of the address as soon as it is parsed. */
  readonly onAddress: (kind: ResourcePath["kind"]) => void;
  /** Called with the texts of the query options as soon as they are decoded. */
  readonly onOptions: (texts: ReadonlyMap<string, string>) => void;
};
