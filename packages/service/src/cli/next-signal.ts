/** Resolves at the first of the signals. A second one ends the process immediately, because the handlers are removed. */
export const nextSignal = (signals: readonly NodeJS.Signals[]): Promise<void> =>
  new Promise((resolve) => {
    const heard = () => {
      for (const signal of signals) process.off(signal, heard);
      resolve();
    };
    for (const signal of signals) process.on(signal, heard);
  });
