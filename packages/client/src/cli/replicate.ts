import { Command } from "commander";
import { openReplica } from "../replicate/replica.ts";
import { replicate } from "../replicate/replicate.ts";
import { withElapsed } from "../terminal/elapsed.ts";
import { printMessage, printResult } from "../terminal/output.ts";
import {
  type ConnectionFlags,
  connected,
  jsonOption,
  type TableFlags,
  withConnection,
  withTables,
} from "./options.ts";

type Flags = ConnectionFlags &
  TableFlags & {
    readonly into: string;
    readonly filter?: string;
    readonly select?: string;
    /** Name of the key field. */
    readonly key?: string;
    readonly json?: true;
  };

/**
 * `cadastre-client replicate <resource>`: copies an entity set by OData to a folder or a database. Later runs copy what has changed;
 * removals are not detected.
 */
export const replicateCommand = (): Command =>
  withTables(
    withConnection(
      new Command("replicate")
        .description(
          "Copy an entity set by OData; later runs copy what has changed. Removals are not detected.",
        )
        .argument("<resource>", "entity set, such as Property")
        .requiredOption("--into <target>", "a folder, sqlite:<file>, postgres: or postgres://…")
        .option("--filter <filter>", "`$filter` that every record passes")
        .option("--select <fields>", "`$select` of the records")
        .option("--key <field>", "key field (default: ListingKey of Property, <Resource>Key of others)")
        .addOption(jsonOption()),
    ),
  ).action((resource: string, flags: Flags) =>
    connected(flags, async (connection) => {
      const replica = await openReplica(flags.into, flags);
      try {
        let told = 0;
        const report = await withElapsed(`copying ${resource}`, () =>
          replicate(connection, {
            resource,
            replica,
            filter: flags.filter,
            select: flags.select?.split(","),
            keyField: flags.key,
            onPage: (read) => {
              if (read - told < 10_000) return;
              told = read;
              printMessage(`  ${read} records`);
            },
          }),
        );
        if (flags.json) printResult(JSON.stringify(report));
        else
          printMessage(
            `Read ${report.read} records of ${resource}${report.since === null ? "" : ` since ${report.since}`}.`,
          );
      } finally {
        await replica.close();
      }
    }),
  );
