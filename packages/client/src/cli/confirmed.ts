import { ClientError } from "../errors.ts";
import { type ConfirmFlags, isConfirmed } from "../terminal/confirm.ts";

/** Asks for confirmation, unless `--yes` is given. @throws {ClientError} `not_confirmed` */
export async function requireConfirmed(flags: ConfirmFlags, effect: string): Promise<void> {
  if (!(await isConfirmed(flags, effect))) throw new ClientError("not_confirmed", { effect });
}
