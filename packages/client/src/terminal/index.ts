/**
 * Conventions of the command-line programs `cadastre-client` and `cadastre`: version, completion, examples, exit codes, confirmation,
 * output and times.
 *
 * @module
 */

export { ClientError } from "../errors.ts";
export { fileReason } from "../file-reason.ts";
export { type ConfirmFlags, isConfirmed, yesOption } from "./confirm.ts";
export {
  applyConventions,
  CommandLineError,
  type ExampleTable,
  type ExitCodeTable,
  type ProgramConventions,
} from "./conventions.ts";
export { withElapsed } from "./elapsed.ts";
export {
  asksForJson,
  type CommandFailure,
  failureOf,
  printFailure,
  silenceUsageErrors,
  usageFailure,
} from "./failure.ts";
export { printable, printMessage, printResult, tolerateClosedOutput } from "./output.ts";
export { textTable } from "./text-table.ts";
export { relativeTime } from "./times.ts";
export { asTyped, typedCommand } from "./typed-command.ts";
