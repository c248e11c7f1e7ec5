import { HighlightStyle } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** Colours of a filter's text, by the variables of the page. */
export const filterColours = HighlightStyle.define([
  { tag: tags.string, color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.literal], color: "var(--code-number)" },
  { tag: [tags.keyword, tags.operatorKeyword, tags.operator], color: "var(--code-operator)" },
  { tag: [tags.function(tags.variableName), tags.function(tags.name)], color: "var(--code-function)" },
  { tag: [tags.propertyName, tags.variableName, tags.name], color: "var(--text)" },
]);

/** Look of the editor: one line that grows, and lists in the colours of the page. */
export const editorLook = EditorView.theme({
  "&": { fontSize: "14px", backgroundColor: "transparent", color: "var(--text)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "24px", maxHeight: "144px" },
  ".cm-content": { padding: "5px 0", caretColor: "var(--accent)" },
  ".cm-line": { padding: "0" },
  ".cm-cursor": { borderLeftColor: "var(--accent)", borderLeftWidth: "2px" },
  ".cm-placeholder": { color: "var(--quiet)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--accent-soft) !important",
  },
  ".cm-lintRange-error": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--danger) 1.5px",
    textUnderlineOffset: "4px",
  },
  ".cm-tooltip": {
    border: "1px solid var(--line)",
    borderRadius: "10px",
    backgroundColor: "var(--raised)",
    color: "var(--text)",
    boxShadow: "var(--shadow)",
    overflow: "hidden",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": {
    fontFamily: "var(--mono)",
    fontSize: "13px",
    maxHeight: "280px",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "4px 12px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--accent-soft)",
    color: "var(--text)",
  },
  ".cm-completionIcon": { display: "none" },
  ".cm-completionDetail": { color: "var(--quiet)", fontStyle: "normal", marginLeft: "14px" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700" },
  ".cm-diagnostic-error": { borderLeft: "3px solid var(--danger)", padding: "6px 12px" },
  ".cm-diagnosticAction": {
    backgroundColor: "var(--accent)",
    color: "var(--accent-text)",
    borderRadius: "6px",
  },
});
