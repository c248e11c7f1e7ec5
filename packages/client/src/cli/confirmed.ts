import { Option } from "commander";
import { ClientError } from "../errors.ts";
import { confirm } from "../terminal/confirm.ts";

export type ConfirmFlags = { readonly yes?: true };

export const yesOption = (): Option => new Option("-y, --yes", "confirm without being asked");

/** Asks for confirmation, unless `--yes` is given. @throws {ClientError} `not_confirmed` */
export async function requireConfirmed({ yes }: ConfirmFlags, effect: string): Promise<void> {
  if (yes) return;
  if ((await confirm(`${effect}. Go on?`)) !== true) throw new ClientError("not_confirmed", { effect });
}
