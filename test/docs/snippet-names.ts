import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from './markdown.js';

/** Error codes of the compiler for an undeclared name. */
const NO_SUCH_NAME = new Set([2304, 2503, 2552, 2580, 2581, 2582, 2583, 2584, 2591, 2592, 2593, 18004]);

const OPTIONS: ts.CompilerOptions = {
  ...{ target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.NodeNext, experimentalDecorators: true },
  ...{ moduleDetection: ts.ModuleDetectionKind.Force, noEmit: true, skipLibCheck: true, types: ['node'] },
};

/**
 * The names that each snippet neither imports nor declares, and the snippets that are not a whole file. Imports are not
 * resolved: the test that compiles the examples checks whether the package exports a name.
 */
export function strayNames(snippets: readonly string[]): string[][] {
  const files = new Map(snippets.map((code, n) => [join(ROOT, `snippet-${n}.ts`), code]));
  const host = ts.createCompilerHost(OPTIONS);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (name, ...rest) => {
    const code = files.get(name);
    return code === undefined ? read(name, ...rest) : ts.createSourceFile(name, code, ts.ScriptTarget.ES2023, true);
  };
  host.resolveModuleNameLiterals = literals => literals.map(() => ({ resolvedModule: undefined }));
  const program = ts.createProgram([...files.keys()], OPTIONS, host);
  return [...files.keys()].map(name => {
    const source = program.getSourceFile(name);
    const names = program.getSemanticDiagnostics(source).filter(({ code }) => NO_SUCH_NAME.has(code));
    return [...program.getSyntacticDiagnostics(source), ...names].map(({ messageText }) =>
      ts.flattenDiagnosticMessageText(messageText, ' '),
    );
  });
}
