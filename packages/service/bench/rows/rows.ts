import { commonFormatRow } from "./common-format.ts";
import { mixRows } from "./mix.ts";
import { processesRow } from "./processes.ts";
import { requestRows } from "./requests.ts";
import type { Row } from "./row.ts";
import { sizeRows } from "./sizes.ts";
import { startRows } from "./starts.ts";
import { wholeRecordRows } from "./whole-records.ts";

/** Rows of the table of `npm run bench`, in its order. */
export const rows: readonly Row[] = [
  ...requestRows,
  ...wholeRecordRows,
  ...mixRows,
  processesRow,
  ...startRows,
  ...sizeRows,
  commonFormatRow,
];
