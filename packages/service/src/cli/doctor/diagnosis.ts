import type { Config } from "../../config.ts";
import type { DataFolder } from "../../data/data-folder.ts";
import type { ServiceAudit } from "../../data/registry.ts";

/** A result of a check: `ok`, `warn` for what the operator should know, `mend` for what must be mended. */
export type Diagnosis = {
  readonly state: "ok" | "warn" | "mend";
  readonly says: string;
  /** Command or change that mends it. */
  readonly remedy?: string;
};

/** Objects that checks look at. Those that could not be opened are undefined, and checks that need them are left out. */
export type DoctorContext = {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly config?: Config;
  readonly folder?: DataFolder;
  readonly audit?: ServiceAudit;
  readonly now: number;
};

type Results = AsyncIterable<Diagnosis> | Iterable<Diagnosis> | Promise<Diagnosis>;

/** A check of `cadastre doctor`, with the objects that it needs. */
export type DoctorCheck =
  | { readonly name: string; readonly needs: "nothing"; readonly run: (context: DoctorContext) => Results }
  | { readonly name: string; readonly needs: "folder"; readonly run: (context: FolderContext) => Results }
  | {
      readonly name: string;
      /** `keys`: the registry, and a role that may read the API keys. */
      readonly needs: "registry" | "keys";
      readonly run: (context: RegistryContext) => Results;
    };

export type FolderContext = DoctorContext & { readonly config: Config; readonly folder: DataFolder };
export type RegistryContext = FolderContext & { readonly audit: ServiceAudit };

export const sound = (says: string): Diagnosis => ({ state: "ok", says });
export const warn = (says: string, remedy: string): Diagnosis => ({ state: "warn", says, remedy });
export const mend = (says: string, remedy: string): Diagnosis => ({ state: "mend", says, remedy });
