import { join, relative } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '..', '..');
const SOURCE = '@nest-llm-governance/source';

/** One exported name. */
export interface Exported {
  name: string;
  kind: string;
  /** First paragraph of the docstring, and what the name throws. Empty if there is no docstring. */
  summary: string;
  /** The file that declares the name. */
  file: string;
  /** The members that a user calls, reads or passes. */
  members: { signature: string; summary: string }[];
}

/** An entry point of the package. */
export interface EntryPoint {
  entryPoint: string;
  exports: Exported[];
}

/** The entry points of a manifest, each with its source file. */
export function entryPointsOf(manifest: { name: string; exports: Record<string, unknown> }): [string, string][] {
  return Object.entries(manifest.exports).flatMap(([entryPoint, targets]): [string, string][] => {
    if (typeof targets !== 'object' || targets === null || !(SOURCE in targets)) return [];
    return [[manifest.name + entryPoint.slice(1), String(Reflect.get(targets, SOURCE))]];
  });
}

/** Reads the exports of the entry points with the compiler's resolution. */
export function readEntryPoints(entryPoints: readonly [string, string][]): EntryPoint[] {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), file => ts.sys.readFile(file)) as {
    config: object;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const files = entryPoints.map(([, file]) => join(ROOT, file));
  const program = ts.createProgram(files, { ...options, noEmit: true });
  const checker = program.getTypeChecker();
  return entryPoints.map(([entryPoint], at) => {
    const source = program.getSourceFile(files[at] ?? '');
    const module = source && checker.getSymbolAtLocation(source);
    if (!module) throw new Error(`${entryPoint} is no module`);
    const exports = checker.getExportsOfModule(module).map(symbol => describe(symbol, checker));
    return { entryPoint, exports: exports.toSorted((a, b) => a.name.localeCompare(b.name, 'en')) };
  });
}

function describe(exported: ts.Symbol, checker: ts.TypeChecker): Exported {
  const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
  const declaration = symbol.declarations?.[0];
  if (!declaration) throw new Error(`${exported.name} has no declaration`);
  if (ts.isSourceFile(declaration)) return describeNamespace(exported, symbol, declaration, checker);
  return {
    name: exported.name,
    kind: kindOf(declaration),
    summary: firstParagraph(symbol, checker),
    file: relative(ROOT, declaration.getSourceFile().fileName),
    members: membersOf(declaration, checker),
  };
}

/** For a file exported as a namespace, the docstring is at the export. */
function describeNamespace(
  exported: ts.Symbol,
  symbol: ts.Symbol,
  { fileName }: ts.SourceFile,
  checker: ts.TypeChecker,
): Exported {
  const exportedAs = exported.declarations?.find(ts.isNamespaceExport);
  const comments = exportedAs ? ts.getJSDocCommentsAndTags(exportedAs.parent) : [];
  return {
    name: exported.name,
    kind: 'namespace',
    summary: comments.map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? '').join(' '),
    file: relative(ROOT, fileName),
    members: checker.getExportsOfModule(symbol).map(member => ({
      signature: signatureOfExport(member),
      summary: firstParagraph(member, checker),
    })),
  };
}

function signatureOfExport(symbol: ts.Symbol): string {
  const declaration = symbol.declarations?.[0];
  if (!declaration || !ts.isFunctionDeclaration(declaration)) return symbol.name;
  const result = declaration.type ? `: ${oneLine(declaration.type)}` : '';
  return `${symbol.name}(${declaration.parameters.map(oneLine).join(', ')})${result}`;
}

function kindOf(declaration: ts.Declaration): string {
  if (ts.isClassDeclaration(declaration)) return isAbstract(declaration) ? 'abstract class' : 'class';
  if (ts.isInterfaceDeclaration(declaration)) return 'interface';
  if (ts.isTypeAliasDeclaration(declaration)) return 'type';
  if (ts.isFunctionDeclaration(declaration)) return 'function';
  if (ts.isVariableDeclaration(declaration)) return 'constant';
  throw new Error(`no word for ${ts.SyntaxKind[declaration.kind]}`);
}

function isAbstract(declaration: ts.ClassDeclaration): boolean {
  return declaration.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AbstractKeyword) ?? false;
}

/** Public methods and getters of classes, and all members of interfaces and object types, with their docstrings. */
function membersOf(declaration: ts.Declaration, checker: ts.TypeChecker): Exported['members'] {
  return elementsOf(declaration).map(element => {
    const symbol = checker.getSymbolAtLocation(element.name);
    return { signature: signatureOf(element), summary: symbol ? firstParagraph(symbol, checker) : '' };
  });
}

type Element = (
  ts.MethodDeclaration | ts.GetAccessorDeclaration | ts.PropertySignature | ts.MethodSignature | ts.PropertyDeclaration
) & { name: ts.PropertyName };

function elementsOf(declaration: ts.Declaration): Element[] {
  if (ts.isInterfaceDeclaration(declaration)) return declaration.members.filter(isSignature);
  if (ts.isTypeAliasDeclaration(declaration) && ts.isTypeLiteralNode(declaration.type)) {
    return declaration.type.members.filter(isSignature);
  }
  if (!ts.isClassDeclaration(declaration)) return [];
  return declaration.members.filter(isShown);
}

function isShown(
  member: ts.ClassElement,
): member is ts.MethodDeclaration | ts.GetAccessorDeclaration | ts.PropertyDeclaration {
  // Of fields, shows only those that a subclass must implement. Editors show fields with values.
  const isGiven = ts.isPropertyDeclaration(member) && hasModifier(member, ts.SyntaxKind.AbstractKeyword);
  if (!ts.isMethodDeclaration(member) && !ts.isGetAccessorDeclaration(member) && !isGiven) return false;
  return member.name !== undefined && ts.isIdentifier(member.name) && !isHidden(member);
}

function isSignature(member: ts.TypeElement): member is ts.PropertySignature | ts.MethodSignature {
  return ts.isPropertySignature(member) || ts.isMethodSignature(member);
}

function isHidden(member: ts.ClassElement): boolean {
  return hasModifier(member, ts.SyntaxKind.PrivateKeyword) || hasModifier(member, ts.SyntaxKind.ProtectedKeyword);
}

function hasModifier(member: ts.ClassElement, kind: ts.SyntaxKind): boolean {
  return ts.canHaveModifiers(member) && (ts.getModifiers(member)?.some(modifier => modifier.kind === kind) ?? false);
}

/** `name(parameters): type` or `name?: type`, on one line. */
function signatureOf(element: Element): string {
  const mark = 'questionToken' in element && element.questionToken ? '?' : '';
  const isCalled = ts.isMethodDeclaration(element) || ts.isMethodSignature(element);
  const parameters = isCalled ? `(${element.parameters.map(oneLine).join(', ')})` : '';
  return `${element.name.getText()}${mark}${parameters}${element.type ? `: ${oneLine(element.type)}` : ''}`;
}

/** The text of a node without comments. */
function oneLine(node: ts.Node): string {
  return node
    .getText()
    .replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function firstParagraph(symbol: ts.Symbol, checker: ts.TypeChecker): string {
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker));
  const [first = ''] = text.split(/\n\s*\n/);
  const throwing = symbol.getJsDocTags(checker).filter(({ name }) => name === 'throws');
  const refusals = throwing.map(tag => `Throws ${ts.displayPartsToString(tag.text).trim().replace(/\.$/, '')}.`);
  const words = [first.replaceAll(/\{@link ([^}]+)\}/g, '`$1`'), ...refusals].join(' ').replaceAll(/\s+/g, ' ').trim();
  return words.replaceAll('<', '&lt;');
}

const INTRO = `# Module reference

What the entry points of the package export, from their docstrings. [embed.md](../embed.md) shows how they are used; names that
a host may inject are listed there. \`npm run docs:reference\` writes this page.`;

/** The page `docs/reference/module.md`. */
export function moduleReference(entryPoints: readonly EntryPoint[]): string {
  const chapters = entryPoints.map(({ entryPoint, exports }) =>
    [
      `## ${entryPoint}`,
      ...exports.map(({ name, kind, summary, members }) => entry(name, kind, summary, members)),
    ].join('\n\n'),
  );
  return `${[INTRO, ...chapters].join('\n\n')}\n`;
}

function entry(name: string, kind: string, summary: string, members: Exported['members']): string {
  const lines = members.map(member => `- \`${member.signature}\`${member.summary ? `: ${member.summary}` : ''}`);
  return [`### ${name}`, `*${kind}.* ${summary}`, ...(lines.length > 0 ? [lines.join('\n')] : [])].join('\n\n');
}
