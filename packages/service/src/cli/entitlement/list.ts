import { relativeTime } from "@cadastre/client/terminal";
import { inspectEntitlement } from "@cadastre/entitlement";
import type { InstalledEntitlement } from "@cadastre/store/registry";
import { Command } from "commander";
import { printMessage, printResult } from "../outcome.ts";
import { table } from "../table.ts";
import { readable } from "../times.ts";

type Options = { readonly json?: true };

export const listCommand = (): Command =>
  new Command("list")
    .description("List the entitlements that are installed.")
    .option("--json", "print JSON")
    .action(list);

async function list({ json }: Options): Promise<void> {
  // Imported here because the commands of an issuer need no database.
  const { withServiceRegistry } = await import("../data.ts");
  await withServiceRegistry(async ({ entitlements }) => {
    const listed = (await entitlements.list()).map(summaryOf);
    if (json) return printResult(JSON.stringify(listed));
    if (listed.length === 0) return printMessage("No entitlements.");
    const rows = listed.map(({ customer, version, installed, expires }) => [
      customer,
      String(version),
      relativeTime(Date.parse(installed), Date.now()),
      readable(Date.parse(expires)),
    ]);
    printResult(table(["CUSTOMER", "VERSION", "INSTALLED", "ENDS"], rows));
  });
}

function summaryOf({ customer, version, jws, installed }: InstalledEntitlement) {
  const { exp } = inspectEntitlement(jws).document;
  const instant = (time: number) => new Date(time).toISOString();
  return { customer, version, installed: instant(installed), expires: instant(exp * 1000) };
}
