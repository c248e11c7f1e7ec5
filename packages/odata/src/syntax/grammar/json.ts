import { tooComplex } from "../limits.ts";
import { jsonString } from "../literal.ts";
import type { SyntaxNode } from "../tree.ts";
import type { Chevrotain } from "./chevrotain.ts";
import { createBase } from "./parser.ts";
import { spanOf } from "./token-stream.ts";
import type { Tokens } from "./tokens.ts";

/**
 * Creates the grammar of JSON arrays and objects, whose values may be arbitrary expressions.
 *
 * Source: OData 4.01 ABNF, `arrayOrObject`.
 */
export function createJsonGrammar(chevrotain: Chevrotain, tokens: Tokens) {
  const T = tokens;
  return class JsonGrammar extends createBase(chevrotain) {
    declare readonly expression: () => SyntaxNode;

    readonly array = this.RULE("array", (): SyntaxNode => {
      const open = this.CONSUME(T.OpenBracket);
      const items: SyntaxNode[] = [];
      this.ACTION(() => this.enter());
      this.MANY_SEP({
        SEP: T.Comma,
        DEF: () => {
          const item = this.SUBRULE(this.item);
          this.ACTION(() => {
            items.push(item);
            if (items.length > this.limits.listItems) throw tooComplex(this.limits, "listItems", item);
          });
        },
      });
      this.CONSUME(T.CloseBracket);
      return this.ACTION(() => {
        this.leave();
        return this.made({ kind: "Array", start: open.startOffset, end: this.done(), items });
      });
    });

    readonly object = this.RULE("object", (): SyntaxNode => {
      const open = this.CONSUME(T.OpenBrace);
      const members: { name: string; value: SyntaxNode }[] = [];
      this.ACTION(() => this.enter());
      this.MANY_SEP({
        SEP: T.Comma,
        DEF: () => {
          const name = this.CONSUME(T.JsonText);
          this.CONSUME(T.Colon);
          const value = this.SUBRULE(this.item);
          this.ACTION(() => members.push({ name: jsonString(name.image), value }));
        },
      });
      this.CONSUME(T.CloseBrace);
      return this.ACTION(() => {
        this.leave();
        return this.made({ kind: "Object", start: open.startOffset, end: this.done(), members });
      });
    });

    /** A value inside JSON, where strings may be in double quotes. */
    readonly item = this.RULE(
      "item",
      (): SyntaxNode =>
        this.OR<SyntaxNode>([
          {
            ALT: () => {
              const token = this.CONSUME(T.JsonText);
              return this.ACTION(() =>
                this.made({
                  kind: "Literal",
                  ...spanOf(token),
                  type: "String",
                  value: jsonString(token.image),
                }),
              );
            },
          },
          { ALT: () => this.SUBRULE(this.expression) },
        ]),
    );
  };
}
