import type { EntitySet, StructuralProperty } from "@cadastre/odata";
import { filterEditor, filterFault } from "@cadastre/odata/editor";
import {
  acceptCompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionStatus,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { syntaxHighlighting } from "@codemirror/language";
import { EditorState, Prec } from "@codemirror/state";
import { drawSelection, EditorView, keymap, placeholder } from "@codemirror/view";
import { effect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { TextSpan } from "../api/service-error.ts";
import { suggestedValues } from "../facets/facet-values.ts";
import { firstKey } from "../session/api-keys.ts";
import { draft } from "./draft.ts";
import { editorLook, filterColours } from "./editor-colours.ts";

/** Checks a filter with the parser, the binder and the messages of the service. */
export async function faultOfDraft(
  text: string,
  set: EntitySet,
): Promise<{ readonly message: string; readonly span: TextSpan } | undefined> {
  const fault = await filterFault(text, set);
  return fault && { message: fault.message, span: { start: fault.from, end: fault.to } };
}

const suggestIn =
  (set: EntitySet) =>
  async (property: StructuralProperty, text: string): Promise<readonly string[]> => {
    const apiKey = firstKey.peek()?.apiKey;
    return apiKey === undefined ? [] : suggestedValues(set, property, text, apiKey);
  };

/** A filter is one line: a line end that is pasted becomes a space. */
const oneLine = EditorState.transactionFilter.of((transaction) => {
  if (transaction.newDoc.lines === 1) return transaction;
  const text = transaction.newDoc.toString().replaceAll(/\s*\n\s*/g, " ");
  return {
    changes: { from: 0, to: transaction.startState.doc.length, insert: text },
    selection: { anchor: text.length },
  };
});

const runKey = (onRun: () => void) =>
  Prec.high(
    keymap.of([
      {
        key: "Enter",
        run: (view) => {
          // An open list takes the key. Just after it has opened it takes none, so that nobody chooses what they have not seen.
          if (completionStatus(view.state) === "active") acceptCompletion(view);
          else onRun();
          return true;
        },
      },
    ]),
  );

function extensionsFor(set: EntitySet, onRun: () => void) {
  return [
    runKey(onRun),
    closeBrackets(),
    history(),
    drawSelection(),
    keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap]),
    oneLine,
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": "Filter", spellcheck: "false", autocapitalize: "off" }),
    placeholder("City eq 'Austin' and ListPrice lt 500000"),
    syntaxHighlighting(filterColours),
    editorLook,
    filterEditor(set, { suggestValues: suggestIn(set) }),
    EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) draft.value = state.doc.toString();
    }),
  ];
}

type EditorProperties = {
  readonly set: EntitySet;
  /** Place of the cursor at the start; undefined without the focus. */
  readonly cursor: number | undefined;
  readonly onRun: () => void;
};

/** Editor of the filter, in a shadow root: its styles are made at run time, which the policy of the page allows only there. */
export function FilterEditor({ set, cursor, onRun }: EditorProperties) {
  const host = useRef<HTMLDivElement>(null);
  const start = useRef(cursor);
  useEffect(() => {
    if (host.current === null) return undefined;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open" });
    const view = new EditorView({
      root,
      parent: root,
      doc: draft.peek(),
      extensions: extensionsFor(set, onRun),
    });
    if (start.current !== undefined) {
      view.dispatch({ selection: { anchor: Math.min(start.current, view.state.doc.length) } });
      view.focus();
    }
    const stop = effect(() => {
      const text = draft.value;
      if (text !== view.state.doc.toString())
        view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    });
    return () => {
      stop();
      view.destroy();
    };
  }, [set, onRun]);
  return <div class="filter-field filter-editor" ref={host} />;
}
