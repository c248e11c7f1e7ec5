import { existsSync } from "node:fs";

/** Name of the settings file that programs look for in the working directory. */
export const settingsFileName = "cadastre.yaml";

/**
 * Takes `--config <file>` out of the arguments of a program.
 * Sets `CADASTRE_CONFIG` to it, or else to the `cadastre.yaml` of the working directory, unless the variable is set.
 *
 * @returns the other arguments
 */
export function chooseSettingsFile(args: readonly string[]): readonly string[] {
  const others: string[] = [];
  let given: string | undefined;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? "";
    if (arg === "--config" && args[i + 1] !== undefined) given = args[++i];
    else if (arg.startsWith("--config=")) given = arg.slice("--config=".length);
    else others.push(arg);
  }
  if (given !== undefined) process.env["CADASTRE_CONFIG"] = given;
  else if ((process.env["CADASTRE_CONFIG"] ?? "") === "" && existsSync(settingsFileName))
    process.env["CADASTRE_CONFIG"] = settingsFileName;
  return others;
}
