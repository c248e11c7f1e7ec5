/** A fault of a catalog's definition. */
export type CatalogFault = {
  /** Members that lead to the fault, such as `["systems", 0, "fields", "Property", 3, "name"]`. */
  readonly path: readonly PropertyKey[];
  /** Description of the fault and of what is allowed. */
  readonly message: string;
};

/** Faults of a catalog's definition, all at once. */
export class CatalogError extends Error {
  override readonly name = "CatalogError";
  readonly faults: readonly CatalogFault[];

  constructor(faults: readonly CatalogFault[]) {
    super(
      faults
        .map(({ path, message }) => `${path.length === 0 ? "the definition" : pathText(path)}: ${message}`)
        .join("\n"),
    );
    this.faults = faults;
  }
}

/** Writes a path as in JavaScript: `systems[0].fields.Property[3].name`. */
export const pathText = (path: readonly PropertyKey[]): string =>
  path
    .map((step, i) => (typeof step === "number" ? `[${step}]` : `${i === 0 ? "" : "."}${String(step)}`))
    .join("");
