import type { TextSpan } from "../api/service-error.ts";

type FaultProperties = {
  readonly text: string;
  readonly message: string;
  readonly span: TextSpan | undefined;
  /** False where the text itself shows the place. */
  readonly showsPlace: boolean;
  readonly onReplace: (text: string) => void;
};

const around = 36;

/** True if text is missing at the end: somebody is writing still. */
export const isUnfinished = (message: string): boolean => message.endsWith("the end of the text");

/** Message of a faulty filter, with the text around the fault and a button that takes what the message suggests. */
export function FaultLine({ text, message, span, showsPlace, onReplace }: FaultProperties) {
  const suggestion = /did you mean `([^`]+)`/.exec(message)?.[1];
  const end = span === undefined ? 0 : Math.max(span.end, Math.min(span.start + 1, text.length));
  return (
    <div class={`fault ${isUnfinished(message) ? "fault-unfinished" : ""}`} role="status">
      <span class="fault-message">
        {message
          .split(/(`[^`]*`)/)
          .map((part, index) => (part.startsWith("`") ? <code key={index}>{part.slice(1, -1)}</code> : part))}
      </span>
      {span !== undefined && showsPlace && (
        <code class="fault-excerpt">
          {span.start > around && "…"}
          {text.slice(Math.max(0, span.start - around), span.start)}
          <mark>{text.slice(span.start, end) || " "}</mark>
          {text.slice(end, end + around)}
          {end + around < text.length && "…"}
        </code>
      )}
      {suggestion !== undefined && span !== undefined && (
        <button
          type="button"
          class="button button-small"
          onClick={() => onReplace(text.slice(0, span.start) + suggestion + text.slice(span.end))}
        >
          Use {suggestion}
        </button>
      )}
    </div>
  );
}
