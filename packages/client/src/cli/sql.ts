import { join, resolve } from "node:path";
import { readManifest } from "@cadastre/manifest";
import { Command, Option } from "commander";
import { readSchema } from "../content/schema.ts";
import { ClientError } from "../errors.ts";
import { readManifestFile } from "../fetch/disk.ts";
import { manifestFile } from "../fetch/staging.ts";
import { fileReason } from "../file-reason.ts";
import { type SqlDialect, sqlDialects, sqlScript } from "../load/sql-script.ts";

type Flags = { readonly for: SqlDialect; readonly from?: string };

/** `cadastre-client sql <folder> --for <database>` */
export const sqlCommand = (): Command =>
  new Command("sql")
    .description(
      "Print the statements that create and fill tables from a delivery in a folder, for a database that the client does not load.",
    )
    .argument("<folder>", "folder with manifest.json, schema.json and the parts")
    .addOption(new Option("--for <database>", "the database").choices(sqlDialects).makeOptionMandatory())
    .option("--from <address>", "where the database finds the files, such as s3://… (default: the folder)")
    .action(async (folder: string, flags: Flags) => {
      const bytes = await readManifestFile(join(folder, manifestFile)).catch(
        (error: NodeJS.ErrnoException) => {
          throw new ClientError("folder_invalid", { folder, reason: fileReason(error) });
        },
      );
      const manifest = readManifest(bytes);
      const from = (flags.from ?? resolve(folder)).replace(/\/+$/, "");
      process.stdout.write(
        sqlScript(manifest, await readSchema(manifest, folder), { dialect: flags.for, from }),
      );
    });
