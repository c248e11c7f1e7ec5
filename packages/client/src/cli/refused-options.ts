import { ClientError } from "../errors.ts";

/** Options by the error codes of the service that refuse them, with what is allowed. */
export type RefusedOptions = Readonly<Record<string, readonly [option: string, allowed: string]>>;

/** Runs a request. Turns a refusal of the service into an error that names the option. */
export async function namingOptions<T>(options: RefusedOptions, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ClientError) || error.reported === undefined) throw error;
    if (!Object.hasOwn(options, error.reported)) throw error;
    const [option = "", allowed = ""] = options[error.reported] ?? [];
    throw new ClientError("option_refused", { option, allowed, code: error.reported });
  }
}
