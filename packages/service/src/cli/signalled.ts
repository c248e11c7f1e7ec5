/** The first of the signals. A second one ends the process at once, as it would without a handler. */
export const signalled = (signals: readonly NodeJS.Signals[]): Promise<void> =>
  new Promise((resolve) => {
    const heard = () => {
      for (const signal of signals) process.off(signal, heard);
      resolve();
    };
    for (const signal of signals) process.on(signal, heard);
  });
