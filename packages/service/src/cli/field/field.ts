import { Command } from "commander";
import { addFieldCommand } from "./add.ts";
import { importFieldsCommand } from "./import.ts";
import { listFieldsCommand } from "./list.ts";

/** `cadastre field` */
export const fieldCommand = (): Command =>
  new Command("field")
    .description(
      "Look after the local fields of originating systems, which the RESO Data Dictionary does not have.",
    )
    .addCommand(addFieldCommand())
    .addCommand(importFieldsCommand())
    .addCommand(listFieldsCommand());
