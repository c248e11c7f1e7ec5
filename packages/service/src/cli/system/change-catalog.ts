import { type CatalogDefinition, CatalogError, pathText } from "@cadastre/reso";
import type { AuditAction } from "../../audit/actions.ts";
import { type ChangedCatalog, changeCatalog, plannedCatalog } from "../../data/change-catalog.ts";
import { withRegistry } from "../../data/registry.ts";
import { takesEffectText } from "../../takes-effect.ts";
import { audited, auditOf } from "../audited.ts";
import { withServiceFolder, withServiceRegistry } from "../data.ts";
import { CommandRefused, printMessage } from "../outcome.ts";
import { number } from "../progress.ts";

/** A change of the catalog by a command. */
export type CatalogEdit = {
  readonly action: AuditAction;
  /** Id of the system in the audit trail. */
  readonly system?: string;
  /** Returns the definition that follows another one. @throws {CommandRefused} */
  readonly change: (definition: CatalogDefinition) => CatalogDefinition;
  /** Text that faults begin with in place of their path, such as the file that the definition is from. */
  readonly faultsOf?: (path: string) => string;
};

/** Puts the changed catalog in force. @throws {CommandRefused} with all faults of the new definition */
export const editCatalog = ({ action, system, change, faultsOf = (path) => path }: CatalogEdit) =>
  withServiceFolder("database", (folder, config) =>
    withRegistry(folder, (registry) =>
      audited({ action, object: { id: system ?? "catalog" }, ...auditOf(folder, config) }, () =>
        changeCatalog(folder, registry, change).catch(namingFaults(faultsOf)),
      ),
    ),
  );

/** Checks a change of the catalog as {@link editCatalog} does, and changes nothing. @throws {CommandRefused} with the same faults */
export const tryCatalogEdit = ({ change, faultsOf = (path) => path }: Omit<CatalogEdit, "action">) =>
  withServiceRegistry((registry, folder) =>
    plannedCatalog(folder, registry, change).catch(namingFaults(faultsOf)),
  );

const namingFaults =
  (faultsOf: (path: string) => string) =>
  (error: unknown): never => {
    if (!(error instanceof CatalogError)) throw error;
    const lines = error.faults.map(({ path, message }) => `${faultsOf(pathText(path))}: ${message}`);
    throw new CommandRefused(`Nothing was changed.\n${lines.join("\n")}`, { cause: error });
  };

/** Prints a sentence on the change, and from when on it counts. */
export function printChange(sentence: string, { version, lookups }: ChangedCatalog): void {
  const { published, removed } = lookups;
  const values = [
    published > 0 ? ` ${number(published)} values of lookups were published.` : "",
    removed > 0 ? ` ${number(removed)} values of lookups were removed.` : "",
  ].join("");
  printMessage(
    `${sentence}${values} This is version ${version} of the catalog. ${takesEffectText("follows")}`,
  );
}
