import { inspectEntitlement } from "@cadastre/entitlement";
import { type ApiKeyRecord, isInForce } from "@cadastre/store/registry";
import { Command } from "commander";
import { withServiceRegistry } from "../data.ts";
import { printMessage, printResult } from "../outcome.ts";
import { table } from "../table.ts";
import { readable } from "../times.ts";
import { json } from "./options.ts";

/** `cadastre customer list` */
export const listCustomersCommand = (): Command =>
  new Command("list")
    .description("List the customers that have an entitlement.")
    .addOption(json())
    .action(list);

const list = ({ json: isJson }: { readonly json?: true }) =>
  withServiceRegistry(async ({ entitlements, keys }) => {
    const at = Date.now();
    const all = await keys.list();
    const customers = (await entitlements.list()).map(({ customer, version, jws }) => {
      const { nbf, exp } = inspectEntitlement(jws).document;
      const own = all.filter((key) => key.customer === customer);
      return { customer, version, state: stateAt({ nbf, exp }, at), ends: exp * 1000, ...keysAt(own, at) };
    });
    if (isJson) return printResult(JSON.stringify(customers.map(toJson), null, 2));
    if (customers.length === 0)
      return printMessage("No customers. `cadastre customer add --help` says how to add one.");
    const rows = customers.map(({ customer, version, state, ends, liveKeys, lastUsed }) => [
      customer,
      String(version),
      state,
      readable(ends),
      String(liveKeys),
      lastUsed === null ? "never" : readable(lastUsed),
    ]);
    printResult(table(["CUSTOMER", "VERSION", "STATE", "ENDS", "LIVE KEYS", "LAST USED"], rows));
  });

const toJson = <T extends { readonly ends: number; readonly lastUsed: number | null }>(customer: T) => ({
  ...customer,
  ends: new Date(customer.ends).toISOString(),
  lastUsed: customer.lastUsed === null ? null : new Date(customer.lastUsed).toISOString(),
});

/** State by the times alone: whether the service trusts the signature is shown by `customer show`. */
function stateAt({ nbf, exp }: { readonly nbf: number; readonly exp: number }, at: number): string {
  if (at >= exp * 1000) return "expired";
  return at < nbf * 1000 ? "not yet valid" : "valid";
}

/** Returns the number of keys in force, and when any key was last used. */
function keysAt(keys: readonly ApiKeyRecord[], at: number) {
  const used = keys.flatMap(({ lastUsed }) => lastUsed ?? []);
  return {
    liveKeys: keys.filter((key) => isInForce(key, at)).length,
    lastUsed: used.length === 0 ? null : Math.max(...used),
  };
}
