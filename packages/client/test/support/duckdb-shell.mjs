// Stands for the `duckdb` program in the tests of the guides: runs a statement on the file of a database, and prints the rows as CSV.
import { DuckDBInstance } from "@duckdb/node-api";

const [file, statement] = process.argv.slice(-2);
const instance = await DuckDBInstance.create(file, { access_mode: "READ_ONLY" });
const reader = await (await instance.connect()).runAndReadAll(statement);
for (const row of [reader.columnNames(), ...reader.getRows()]) console.log(row.map(String).join(","));
