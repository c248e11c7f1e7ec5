import { Command } from "commander";
import { addCommand } from "./add.ts";
import { changeCommand } from "./change.ts";
import { exportCommand, importCommand } from "./definition.ts";
import { learnCommand } from "./learn.ts";
import { listSystemsCommand } from "./list.ts";
import { restoreSystemCommand, retireCommand } from "./retire.ts";

/** `cadastre system` */
export const systemCommand = (): Command =>
  new Command("system")
    .description("Look after the originating systems whose records the service stores.")
    .addCommand(addCommand())
    .addCommand(learnCommand())
    .addCommand(listSystemsCommand())
    .addCommand(changeCommand())
    .addCommand(retireCommand())
    .addCommand(restoreSystemCommand())
    .addCommand(exportCommand())
    .addCommand(importCommand());
