import { join, relative } from 'node:path';
import ts from 'typescript';
import { ROOT } from './cruise.js';

/** A place in the code where a text selects a property of an object. */
export interface Lookup {
  file: string;
  code: string;
}

/**
 * Lookups by a text in a plain object: `table[text]`, `text in table` and `Reflect.get(table, text)`. A plain object
 * also has the keys `constructor` and `toString`. Only objects whose values have a known type are checked. Parsed JSON
 * is not checked, because its values are validated after reading. A lookup is not reported if its key is of a fixed
 * set, or if `Object.hasOwn` checks the same table and key in the same function.
 */
export function lookupsIn(files: readonly string[], others: readonly string[] = []): Lookup[] {
  const { options } = configuration();
  const program = ts.createProgram([...files, ...others], { ...options, noEmit: true });
  const checker = program.getTypeChecker();
  const wanted = new Set(files);
  return program
    .getSourceFiles()
    .filter(({ fileName }) => wanted.has(fileName))
    .flatMap(source => {
      const found: Lookup[] = [];
      const visit = (node: ts.Node): void => {
        const parts = partsOf(node);
        if (parts && isOpen(checker, parts) && !isGuarded(node, parts)) {
          found.push({ file: relative(ROOT, source.fileName), code: node.getText().replaceAll(/\s+/g, ' ') });
        }
        ts.forEachChild(node, visit);
      };
      visit(source);
      return found;
    });
}

/** The code files of the project, without specs. */
export function codeFiles(): string[] {
  return configuration()
    .fileNames.map(file => join(file))
    .filter(file => /^(libs|apps)\//.test(relative(ROOT, file)) && !file.endsWith('.spec.ts'));
}

function configuration(): ts.ParsedCommandLine {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (): never => ts.sys.exit(1) as never };
  const read = ts.getParsedCommandLineOfConfigFile(join(ROOT, 'tsconfig.json'), {}, host);
  if (!read) throw new Error('tsconfig.json cannot be read');
  return read;
}

interface Parts {
  table: ts.Expression;
  key: ts.Expression;
}

function partsOf(node: ts.Node): Parts | undefined {
  if (ts.isElementAccessExpression(node)) return { table: node.expression, key: node.argumentExpression };
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.InKeyword) {
    return { table: node.right, key: node.left };
  }
  if (!ts.isCallExpression(node) || !/^Reflect\.(get|has)$/.test(node.expression.getText())) return undefined;
  const [table, key] = node.arguments;
  return table && key && { table, key };
}

function isOpen(checker: ts.TypeChecker, { table, key }: Parts): boolean {
  return isAnyText(checker.getTypeAtLocation(key)) && !isJson(checker, checker.getTypeAtLocation(table));
}

function isAnyText(type: ts.Type): boolean {
  if (type.isUnion()) return type.types.some(isAnyText);
  return (type.flags & (ts.TypeFlags.String | ts.TypeFlags.TemplateLiteral | ts.TypeFlags.StringMapping)) !== 0;
}

/** Whether the type is that of parsed JSON or of other unknown data, which promises nothing about the values. */
function isJson(checker: ts.TypeChecker, type: ts.Type): boolean {
  const values = checker.getIndexInfoOfType(type, ts.IndexKind.String)?.type;
  if (!values) return false;
  const text = checker.typeToString(values);
  return text === 'unknown' || text === 'any' || text.includes('Json');
}

function isGuarded(node: ts.Node, { table, key }: Parts): boolean {
  const guard = `Object.hasOwn(${table.getText()}, ${key.getText()})`;
  for (let at = node.parent; !ts.isSourceFile(at); at = at.parent) {
    if (ts.isFunctionLike(at) && at.getText().includes(guard)) return true;
  }
  return false;
}
