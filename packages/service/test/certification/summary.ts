import { afterAll, afterEach } from "vitest";

/** Print, after the tests of the file, how many of its scenarios passed, and why some were left out. */
export function summarize(title: string, leftOut: Readonly<Record<string, string>> = {}): void {
  const states: string[] = [];
  afterEach(({ task }) => {
    states.push(task.result?.state ?? "pass");
  });
  afterAll(() => {
    const failed = states.filter((state) => state === "fail").length;
    const reasons = Object.entries(leftOut).map(([tag, reason]) => `  not applicable: ${tag}: ${reason}\n`);
    process.stdout.write(
      `${title}: ${states.length - failed} of ${states.length} scenarios pass\n${reasons.join("")}`,
    );
  });
}
