import type { Database } from "./bench.ts";
import type { Figure, Goal, Row } from "./rows/row.ts";
import { type Peer, peers } from "./subjects.ts";
import { head, line, number } from "./table.ts";

/** A row with its figures, which are medians. */
export type Measured = {
  readonly row: Row;
  readonly ours: Figure;
  readonly floor: Figure;
  readonly peers: Readonly<Record<Peer, Figure>>;
  /** False if the sizes are others than those of the goals. */
  readonly isJudged: boolean;
};

const isNumber = (figure: Figure): figure is number => typeof figure === "number";

/** Returns our figure divided by another, or the reason why there is none. */
export const ratio = (ours: Figure, other: Figure): Figure =>
  isNumber(ours) && isNumber(other) ? ours / other : isNumber(other) ? "" : other;

const cell = (figure: Figure) => (isNumber(figure) ? number(figure) : figure);

function goalCell({ sign, value, of }: Goal, { ours, floor, isJudged }: Measured): string {
  const reached = of === "floor" ? ratio(ours, floor) : ours;
  const goal = `${sign} ${value}${of === "floor" ? " × floor" : ""}`;
  if (!isNumber(reached) || !isJudged) return goal;
  return `${goal}: ${isMet(sign, value, reached) ? "met" : "missed"}`;
}

const isMet = (sign: Goal["sign"], value: number, reached: number) =>
  sign === "≤" ? reached <= value : reached >= value;

/** Returns the numbers of goals that are met and that are set. Goals without a figure do not count. */
export function goalsMet(measured: readonly Measured[], database: Database): readonly [number, number] {
  const cells = measured.flatMap((one) => {
    const goal = one.row.goals[database];
    return goal === undefined ? [] : [goalCell(goal, one)];
  });
  const met = cells.filter((text) => text.endsWith(": met")).length;
  return [met, met + cells.filter((text) => text.endsWith(": missed")).length];
}

/** Returns the table of a database. */
export function tableOf(measured: readonly Measured[], database: Database): string {
  const ratios = ["floor", ...peers].map((name) => `÷ ${name}`);
  const lines = measured.map((one) => {
    const { row, ours, floor } = one;
    const goal = row.goals[database];
    return line(
      row.name,
      ...[floor, ...peers.map((peer) => one.peers[peer])].map((other) => cell(ratio(ours, other))),
      cell(ours),
      cell(floor),
      row.unit,
      goal === undefined ? "" : goalCell(goal, one),
    );
  });
  return [head(database, ...ratios, "service", "floor", "unit", "goal"), ...lines].join("\n");
}

const spread = (ratios: readonly number[]) => {
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)].map(number);
  return `${least} to ${most}`;
};

/** Returns three sentences on the table: a key and a page, the peers, the goals. */
export function summaryOf(measured: readonly Measured[], database: Database): string {
  const named = (name: string) => {
    const found = measured.find(({ row }) => row.name === name);
    const against = found === undefined ? "" : ratio(found.ours, found.floor);
    return { ours: cell(found?.ours ?? ""), ratio: cell(against) };
  };
  const [key, page] = [named("key"), named("1,000 records")];
  const compared = (["SAP CAP", "reso-tools"] as const).flatMap((peer) => {
    const ratios = measured
      .filter(({ row }) => row.unit === "CPU ms" && !row.once)
      .map((one) => ratio(one.peers[peer], one.ours))
      .filter(isNumber);
    return ratios.length === 0 ? [] : [`${peer} ${spread(ratios)}`];
  });
  const [met, set] = goalsMet(measured, database);
  return [
    `A look-up by key costs the whole service ${key.ours} ms of CPU, ${key.ratio} times a prepared statement behind \`node:http\` that checks nothing; a page of 1,000 records ${page.ours} ms, ${page.ratio} times.`,
    compared.length === 0
      ? "No peer was measured."
      : `Others take for the same answers, times our CPU: ${compared.join(", ")}.`,
    set === 0 ? "These sizes are not those of the goals." : `${met} of ${set} goals are met.`,
  ].join("\n");
}
