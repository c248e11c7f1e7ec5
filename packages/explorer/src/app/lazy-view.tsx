import { signal } from "@preact/signals";
import type { ComponentType } from "preact";

/** Returns a view that is loaded when it is first shown. */
export function lazyView(load: () => Promise<ComponentType>): ComponentType {
  const view = signal<ComponentType | undefined>(undefined);
  const fault = signal(false);
  let started = false;
  const start = () => {
    started = true;
    fault.value = false;
    load().then(
      (loadedView) => {
        view.value = loadedView;
      },
      () => {
        fault.value = true;
      },
    );
  };
  return function LazyView() {
    if (!started) start();
    const View = view.value;
    if (View !== undefined) return <View />;
    return (
      <div class="empty" aria-busy={!fault.value}>
        {fault.value && (
          <>
            <p>This view could not be loaded.</p>
            <button type="button" class="button" onClick={start}>
              Try again
            </button>
          </>
        )}
      </div>
    );
  };
}
