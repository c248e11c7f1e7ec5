import { Command } from "commander";
import { rolesSql } from "../../data/postgres-roles.ts";
import { printResult } from "../outcome.ts";

/** `cadastre init roles` */
export const rolesCommand = (): Command =>
  new Command("roles")
    .description(
      "Write the SQL that creates the roles of a PostgreSQL database with the least rights that each needs, to be run by psql. It has no password, and can be run again.",
    )
    .action(() => printResult(rolesSql.trimEnd()));
