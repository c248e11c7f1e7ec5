import { z } from "zod";
import { parseDataFile } from "../data/data-error.ts";
import { type DataFolder, readIfExists, replaceFile } from "../data/data-folder.ts";

const schema = z.object({
  baseUrl: z.string(),
  keys: z.array(z.object({ name: z.string(), apiKey: z.string(), summary: z.string() })),
});

/** Content of `demo.json`: the URL of the service, and keys to try. */
export type Demo = z.output<typeof schema>;
export type DemoKey = Demo["keys"][number];

/**
 * Reads `demo.json`. Undefined if it does not exist.
 *
 * @throws {DataError} if it does not have the format that {@link writeDemo} writes
 */
export async function readDemo({ demo }: Pick<DataFolder, "demo">): Promise<Demo | undefined> {
  const text = await readIfExists(demo);
  return text === undefined ? undefined : parseDataFile(demo, text, parseDemo);
}

export const parseDemo = (text: string): Demo => schema.parse(JSON.parse(text));

export async function writeDemo({ demo }: DataFolder, content: Demo): Promise<void> {
  await replaceFile(demo, `${JSON.stringify(content, null, 2)}\n`);
}
