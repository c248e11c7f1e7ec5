import { folderParts, type PartStore } from "@cadastre/delivery";
import type { Config } from "../config.ts";
import type { DataFolder } from "../data/data-folder.ts";

/** Where the bytes of deliveries lie. */
export const openParts = ({ partsFolder }: Pick<Config, "partsFolder">, { exports }: DataFolder): PartStore =>
  folderParts(partsFolder ?? exports);
