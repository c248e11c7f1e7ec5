import { Command } from "commander";

/** `cadastre key …` */
export const keyCommand = (): Command => new Command("key").description("Make, list and end API keys.");
