import { realpathSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
/** Test support is not published, and no source imports it. */
const isSource = /\/packages\/[^/]+\/src\/(?!testing\/)/;
const packageOf = (file: string): string | undefined => /packages\/[^/]+\//.exec(file)?.[0];

/** The sources of all packages, as the compiler sees them. */
export class Sources {
  readonly #service: ts.LanguageService;
  readonly #files: readonly string[];

  constructor() {
    const read = (file: string) => ts.sys.readFile(file);
    const found: { readonly config?: unknown } = ts.readConfigFile(`${root}tsconfig.json`, read);
    const { fileNames, options } = ts.parseJsonConfigFileContent(found.config, ts.sys, root);
    const files = fileNames.filter((file) => isSource.test(file));
    this.#files = files;
    this.#service = ts.createLanguageService({
      getScriptFileNames: () => files,
      getScriptVersion: () => "1",
      getScriptSnapshot: (file) => {
        const text = read(file);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
      getCompilationSettings: () => options,
      getCurrentDirectory: () => root,
      getDefaultLibFileName: ts.getDefaultLibFilePath,
      fileExists: (file) => ts.sys.fileExists(file),
      readFile: read,
      directoryExists: (folder) => ts.sys.directoryExists(folder),
      // Resolves the links between packages in `node_modules`.
      realpath: realpathSync,
    });
  }

  /** Returns the files of other packages that use the name that `file` declares. */
  usersOf(file: string, name: string): readonly string[] {
    return this.otherUsersOf(file, name).filter((user) => packageOf(user) !== packageOf(file));
  }

  /** Returns the other files that use the name that `file` declares. */
  otherUsersOf(file: string, name: string): readonly string[] {
    const path = `${root}${file}`;
    const references = this.#service.getReferencesAtPosition(path, this.#placeOf(path, name)) ?? [];
    return this.#named(references.map(({ fileName }) => fileName)).filter((user) => user !== file);
  }

  /** Returns the files that assert that a value has the type (`as` or `<…>`). */
  castersTo(type: string): readonly string[] {
    const casts = (node: ts.Node): boolean =>
      (ts.isAssertionExpression(node) && new RegExp(`\\b${type}\\b`).test(node.type.getText())) ||
      (ts.forEachChild(node, casts) ?? false);
    return this.#named(this.#files.filter((file) => casts(this.#read(file))));
  }

  /** Returns the position of the first declaration of the name. */
  #placeOf(file: string, name: string): number {
    const find = (node: ts.Node): number | undefined => {
      const declared = "name" in node ? (node.name as ts.Node | undefined) : undefined;
      if (declared?.kind === ts.SyntaxKind.Identifier && declared.getText() === name)
        return declared.getStart();
      return ts.forEachChild(node, find);
    };
    const place = find(this.#read(file));
    if (place === undefined) throw new RangeError(`${file} does not declare ${name}`);
    return place;
  }

  #read(file: string): ts.SourceFile {
    const source = this.#service.getProgram()?.getSourceFile(file);
    if (source === undefined) throw new RangeError(`${file} is no source`);
    return source;
  }

  #named(files: readonly string[]): readonly string[] {
    return [...new Set(files)].map((file) => relative(root, file)).toSorted();
  }
}
