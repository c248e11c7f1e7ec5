import { open } from "node:fs/promises";

/** Flips a bit of a byte of a file in place, without writing the other bytes. `bit` counts from the least significant one. */
export async function flipBit(path: string, index: number, bit = 0): Promise<void> {
  const file = await open(path, "r+");
  try {
    const byte = Buffer.alloc(1);
    await file.read(byte, 0, 1, index);
    byte[0] = (byte[0] ?? 0) ^ (1 << bit);
    await file.write(byte, 0, 1, index);
  } finally {
    await file.close();
  }
}
