import { z } from "zod";
import { type DataFolder, readIfExists, writeAtomically } from "../data/data-folder.ts";

const schema = z.object({
  baseUrl: z.string(),
  keys: z.array(z.object({ name: z.string(), apiKey: z.string(), summary: z.string() })),
});

/** What `demo.json` tells: where the service is, and keys to try. */
export type Demo = z.output<typeof schema>;
export type DemoKey = Demo["keys"][number];

/** Undefined where the file is missing or is not what {@link writeDemo} writes. */
export async function readDemo({ demo }: DataFolder): Promise<Demo | undefined> {
  const text = await readIfExists(demo);
  if (text === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

export async function writeDemo({ demo }: DataFolder, content: Demo): Promise<void> {
  await writeAtomically(demo, `${JSON.stringify(content, null, 2)}\n`);
}
