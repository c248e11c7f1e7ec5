import { type ConfirmFlags, isConfirmed } from "@cadastre/client/terminal";
import { CommandRefused } from "./outcome.ts";

/** Asks the operator for confirmation, unless `--yes` is given. @throws {CommandRefused} with the effect */
export async function confirmDeletion(flags: ConfirmFlags, effect: string): Promise<void> {
  if (!(await isConfirmed(flags, effect)))
    throw new CommandRefused(
      `${effect}. Nothing was changed: confirm it with \`y\` on a terminal, or give \`--yes\``,
    );
}
