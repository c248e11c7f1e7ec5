import { ManifestError } from "@cadastre/manifest";
import { CommanderError } from "commander";
import { ClientError, exitCodeOf, exitCodes } from "../errors.ts";
import { diskFailure, isErrorOfFile } from "../fetch/disk.ts";
import { CommandLineError } from "../terminal/conventions.ts";
import { type CommandFailure, failureOf, printFailure, usageFailure } from "../terminal/failure.ts";
import { printable, printMessage } from "../terminal/output.ts";

/** Reports an error on standard error, as JSON if `asJson`, and returns its exit code. */
export function reportError(thrown: unknown, asJson: boolean): number {
  const error = isErrorOfFile(thrown) ? diskFailure(thrown) : thrown;
  if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.done;
  if (asJson) printFailure(commandFailure(error));
  else if (error instanceof ClientError || error instanceof ManifestError) {
    const place = error instanceof ManifestError && error.path !== undefined ? ` at ${error.path}` : "";
    // The message may have a name from the service.
    printMessage(`${error.code}${place}: ${error.message.split("\n").map(printable).join("\n")}`);
  } else if (!(error instanceof CommanderError)) console.error(error);
  // Commander has printed a wrong command line.
  return error instanceof CommanderError ? exitCodes.usage : exitCodeOf(error);
}

function commandFailure(error: unknown): CommandFailure {
  if (error instanceof CommandLineError) return usageFailure(error);
  if (error instanceof ClientError) {
    const { code, message, target, allowed } = error;
    const failure = failureOf(code, message);
    return { ...failure, target: target ?? failure.target, allowed };
  }
  if (error instanceof ManifestError)
    return { error: error.code, message: error.message, target: error.path };
  return failureOf("internal_error", error instanceof Error ? error.message : String(error));
}
