import { Command } from "commander";
import { addFieldCommand } from "./add.ts";
import { enableFieldsCommand } from "./enable.ts";
import { importFieldsCommand } from "./import.ts";
import { listFieldsCommand } from "./list.ts";

/** `cadastre field` */
export const fieldCommand = (): Command =>
  new Command("field")
    .description(
      "Look after the fields that are served: the local ones of originating systems, and those of the RESO Data Dictionary.",
    )
    .addCommand(addFieldCommand())
    .addCommand(importFieldsCommand())
    .addCommand(enableFieldsCommand())
    .addCommand(listFieldsCommand());
