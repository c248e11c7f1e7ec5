import { KeyForm } from "../session/key-form.tsx";
import { signInFault } from "../session/sign-in.ts";

/** Content of the page while it has no key. */
export function Welcome() {
  return (
    <main class="welcome">
      <div class="welcome-card">
        <svg class="welcome-mark" viewBox="0 0 32 32" aria-hidden="true">
          <rect x="2" y="2" width="28" height="28" rx="7" />
          <path d="M9 9h6v5H9zM9 17h6v6H9zM18 9h5v8h-5zM18 20h5v3h-5z" />
        </svg>
        <h1>Look at the market</h1>
        <p>
          Search listings with OData, see them on a map, and compare what two keys see. Everything here comes
          through the public API, with your key.
        </p>
        {signInFault.value !== "" && (
          <p class="welcome-fault" role="alert">
            The sign-in failed: {signInFault.value}
          </p>
        )}
        <KeyForm onDone={() => {}} />
        <p class="quiet">
          Running the demo? <code>npm start</code> prints an address that signs you in.
        </p>
      </div>
    </main>
  );
}
