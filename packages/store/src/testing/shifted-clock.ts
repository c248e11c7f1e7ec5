import Database from "better-sqlite3";

/** A clock of this process that a test sets: that of its programs, and that of SQLite in databases that are opened while it is shifted. */
export type ShiftedClock = {
  /** Sets the clock so many milliseconds ahead of that of the machine; negative: behind. */
  readonly set: (milliseconds: number) => void;
  readonly restore: () => void;
};

/** Takes the place of the clock of the machine until it is restored. */
export function shiftClock(): ShiftedClock {
  const { now } = Date;
  const prepare: unknown = Reflect.get(Database.prototype, "prepare");
  const shifted = new WeakSet<object>();
  let offset = 0;
  Date.now = () => now() + offset;
  const shiftedPrepare = function (this: Database.Database, text: string): unknown {
    if (!shifted.has(this)) {
      shifted.add(this);
      // The one function of the clock that statements use.
      this.function("unixepoch", { varargs: true }, () => Date.now() / 1000);
    }
    return typeof prepare === "function" ? Reflect.apply(prepare, this, [text]) : undefined;
  };
  Object.assign(Database.prototype, { prepare: shiftedPrepare });
  return {
    set: (milliseconds) => {
      offset = milliseconds;
    },
    restore: () => {
      Date.now = now;
      Object.assign(Database.prototype, { prepare });
    },
  };
}
